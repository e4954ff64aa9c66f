/** `ratio cite`: the editor's citation, computed by the same code, written to disk. */
import { relative, resolve } from 'node:path';
import { computeCitation, describeEdits, DiskFiles, writeEdits } from '../cite';
import { RatioError } from '../engine/engine';
import { placeOf } from './at';
import { withEngine } from './engine';
import { UsageError } from './exit';

interface CiteOptions {
  at: string;
  pool: string[];
  bib?: string;
  dryRun: boolean;
  force: boolean;
  json: boolean;
}

/** The ids that what was typed may stand for: an arXiv id and a DOI need no prefix. */
function idsOf(typed: string): string[] {
  const bare = typed.replace(/^(?:https?:\/\/)?(?:dx\.)?(?:doi\.org|arxiv\.org\/abs)\//i, '');
  return [
    typed,
    `arxiv:${bare.replace(/^arxiv:/i, '').replace(/v\d+$/, '')}`,
    `doi:${bare.replace(/^doi:/i, '').toLowerCase()}`,
  ];
}

/** Cites the paper in the sentence at `--at`. */
export async function cite(paperId: string, options: CiteOptions): Promise<void> {
  const place = placeOf(options.at);
  const pools = options.pool.length > 0 ? options.pool : null;
  const found = await withEngine('cpu', async (engine) => {
    // The first time, the pool that ships is built.
    await engine.keepUp();
    for (const id of idsOf(paperId)) {
      const match = await engine.paper(id, pools);
      if (match) return match;
    }
    return null;
  });
  if (!found) {
    const where = options.pool.length > 0 ? options.pool.join(', ') : 'any pool';
    throw new RatioError(
      'not-found',
      `No paper "${paperId}" in ${where}. It stands in the last line of each result of "ratio query".`,
    );
  }
  const files = new DiskFiles();
  const result = computeCitation({
    draft: { path: place.path, text: place.text, format: place.prose.format },
    sentence: { start: place.sentence.start, end: place.sentence.end },
    paper: found.paper,
    files,
    ...(options.bib === undefined ? {} : { bib: resolve(options.bib) }),
  });
  if (result.kind === 'needs-bib') {
    const choices = result.candidates.map((path) => `\n  --bib ${relative('.', path)}`).join('');
    throw new UsageError(
      `${result.reason} Say which with --bib FILE (it is made when it is not there).${choices}`,
    );
  }
  if (!result.bibDeclared) {
    process.stderr.write(
      `ratio: the draft does not name ${relative('.', result.bibPath)}; add it to its bibliography.\n`,
    );
  }
  if (result.unpublished && !options.force) {
    const what = `"${found.paper.title}" is a LaTeX or Markdown file in pool ${found.pool}, notes or a draft perhaps, that names no DOI or address: its entry would point to nothing published.`;
    if (!options.dryRun) throw new UsageError(`${what} Cite it with --force if you mean it.`);
    process.stderr.write(`ratio: ${what} Citing it takes --force.\n`);
  }
  if (!options.dryRun) writeEdits(result.edits, files);
  if (options.json) {
    const { key, reused, alreadyCitedHere, bibPath, bibCreated } = result;
    process.stdout.write(
      `${JSON.stringify({ key, reused, alreadyCitedHere, bib: bibPath, bibCreated, written: !options.dryRun }, null, 2)}\n`,
    );
  } else if (options.dryRun) {
    process.stdout.write(describeEdits(result.edits, files));
  } else {
    const entry = result.reused ? 'was there' : 'added';
    process.stdout.write(
      `${result.key}: ${result.alreadyCitedHere ? 'cited there already' : 'cited'}; entry ${entry} in ${relative('.', result.bibPath)}\n`,
    );
  }
}
