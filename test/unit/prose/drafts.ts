/** The drafts of RATIO_DATA, and pandoc's reading of them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { formatOf } from '../../../server/prose';

export interface Draft {
  name: string;
  path: string;
  source: string;
}

/** Every LaTeX and Markdown file under RATIO_DATA/drafts; null where that is not there. */
export function drafts(): Draft[] | null {
  const root = process.env['RATIO_DATA'] && join(process.env['RATIO_DATA'], 'drafts');
  if (!root || !existsSync(root)) return null;
  const found: Draft[] = [];
  const walk = (folder: string): void => {
    for (const name of readdirSync(folder).sort()) {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) walk(path);
      else if (formatOf(path)) {
        found.push({ name: relative(root, path), path, source: readFileSync(path, 'utf8') });
      }
    }
  };
  walk(root);
  return found;
}

export function hasPandoc(): boolean {
  try {
    execFileSync('pandoc', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

interface PandocNode {
  t: string;
  c?: unknown;
}

const LEFT_OUT = new Set(['Table', 'CodeBlock', 'RawBlock', 'RawInline', 'Image', 'Note', 'Cite']);

/**
 * Plain body text of a draft's own file as pandoc reads it: `pandoc -t json`, less tables, figures, listings,
 * notes, cites and cross-references, then `pandoc -t plain`. Math stays as its source, as in ours.
 */
export function pandocText(source: string, format: string): string {
  const options = {
    encoding: 'utf8' as const,
    maxBuffer: 1 << 28,
    stdio: ['pipe', 'pipe', 'ignore'] as ['pipe', 'pipe', 'ignore'],
  };
  // File by file: pandoc would put \\input files in.
  const alone = source.replace(/\\(?:input|include|subfile)\s*\{[^{}]*\}/g, '');
  const json = execFileSync('pandoc', ['-f', format, '-t', 'json'], { ...options, input: alone });
  const document = JSON.parse(json) as {
    blocks: PandocNode[];
    meta: Record<string, { t: string; c?: PandocNode[] }>;
  };
  const abstract = document.meta['abstract'];
  if (abstract?.t === 'MetaBlocks') document.blocks.unshift(...(abstract.c ?? []));
  if (abstract?.t === 'MetaInlines') document.blocks.unshift({ t: 'Para', c: abstract.c });
  const pruned = { ...document, meta: {}, blocks: prune(document.blocks) };
  return execFileSync('pandoc', ['-f', 'json', '-t', 'plain', '--wrap=none'], {
    ...options,
    input: JSON.stringify(pruned),
  });
}

function prune(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const kept = prune(item);
      return kept === undefined ? [] : [kept];
    });
  }
  if (value === null || typeof value !== 'object') return value;
  const node = value as PandocNode;
  if (LEFT_OUT.has(node.t)) return undefined;
  if (node.t === 'Math') {
    const [kind, text] = node.c as [PandocNode, string];
    return kind.t === 'DisplayMath' ? undefined : { t: 'Str', c: text };
  }
  if (node.t === 'Link' && /reference-type/.test(JSON.stringify((node.c as unknown[])[0]))) {
    return undefined;
  }
  if (
    node.t === 'Div' &&
    /"(?:figure|thebibliography|references|algorithm\w*|wrapfigure|wraptable|refs|algorithmic|tikzpicture|tabularx|subfigure|center_)"/.test(
      JSON.stringify((node.c as unknown[])[0]),
    )
  ) {
    return undefined;
  }
  return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, prune(item)]));
}

/** Words for comparison: letters and digits, lower case, without marks. */
export function words(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}

/** How many words of `of` the bag `by` has too, and which it has not. */
export function overlap(
  of: readonly string[],
  by: readonly string[],
): { share: number; missing: string[] } {
  const bag = new Map<string, number>();
  for (const word of by) bag.set(word, (bag.get(word) ?? 0) + 1);
  const missing: string[] = [];
  for (const word of of) {
    const left = bag.get(word) ?? 0;
    if (left > 0) bag.set(word, left - 1);
    else missing.push(word);
  }
  return { share: of.length === 0 ? 1 : 1 - missing.length / of.length, missing };
}
