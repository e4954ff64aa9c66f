/** Notes and papers in LaTeX or Markdown, with their sections. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseDocument } from 'yaml';
import type { Importer, SourcePaper } from '../engine/import/source';
import { FILE_ID } from '../cite/identity';
import { safeUrl } from '../cite/texEscape';
import { formatOf, parseProse, type DraftFormat, type Prose } from '../prose';
import { cleanName, cleanTitle, proseSentence } from './clean';
import { latexToText } from './latexText';
import { isFields, textOf, type Fields } from './lines';
import { plainName, readWhole } from './read';
import { parseDate, plainDoi, shortHash } from './record';
import { wholeDocument } from './texWhole';

const FRONT_MATTER = /^\ufeff?---[ \t]*\r?\n([^]*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;

function frontMatter(text: string): Fields {
  const yaml = FRONT_MATTER.exec(text)?.[1];
  if (yaml === undefined) return {};
  try {
    const value: unknown = parseDocument(yaml, { logLevel: 'silent', uniqueKeys: false }).toJS({
      maxAliasCount: 20,
    });
    return isFields(value) ? value : {};
  } catch {
    // The reader of prose says what is wrong with it.
    return {};
  }
}

function yamlNames(value: unknown): string[] {
  if (typeof value === 'string') return value.split(/\s*;\s*|\s+and\s+|\s*,\s*/).map(cleanName);
  if (!Array.isArray(value)) return isFields(value) ? yamlNames([value]) : [];
  return value.map((author: unknown) => {
    if (!isFields(author)) return cleanName(textOf(author) ?? '');
    const { name } = author;
    const whole = isFields(name) ? name : author;
    const parts = [
      'given-names',
      'given',
      'first',
      'dropping-particle',
      'surname',
      'family',
      'last',
    ];
    return cleanName(
      textOf(name) ??
        textOf(whole.literal) ??
        parts
          .map((part) => textOf(whole[part]))
          .filter((part) => part !== null)
          .join(' '),
    );
  });
}

/** Arguments of a LaTeX command, each without its braces. */
function argumentsOf(source: string, command: string): string[] {
  const found: string[] = [];
  const call = new RegExp(`\\\\${command}\\s*(?:\\[[^\\]]*\\]\\s*)?\\{`, 'g');
  for (let match = call.exec(source); match; match = call.exec(source)) {
    const from = match.index + match[0].length;
    let depth = 1;
    let at = from;
    for (; at < source.length && depth > 0; at++) {
      const char = source[at];
      if (char === '\\') at++;
      else if (char === '{') depth++;
      else if (char === '}') depth--;
    }
    found.push(source.slice(from, at - 1));
  }
  return found;
}

const PERSON = /^\p{Lu}[\p{L}\p{M}.'’-]*(?: [\p{L}\p{M}.'’-]+){1,5}$/u;

/** Names in `\author`, as far as they are plain: no institutions, no marks. */
function latexNames(source: string): string[] {
  return [...argumentsOf(source, 'author'), ...argumentsOf(source, 'icmlauthor')]
    .flatMap((argument) => argument.split(/\\(?:and|And|AND|quad|qquad)\b|(?<!\\),/))
    .flatMap((part) => part.split(/\\\\|\\newline\b|\n\s*\n/).slice(0, 1))
    .map((part) =>
      cleanName(
        latexToText(
          part
            .replace(/(?<!\\)%.*$/gm, '')
            .replace(/\$[^$]*\$/g, '')
            .replace(
              /\\(?:inst|textsuperscript|orcidlink|orcidID|email|affil|corref|fnref)\s*\{[^{}]*\}/g,
              '',
            )
            .replace(/\\(?:IEEEauthorblockN|name)\b/g, ''),
        ),
      ).replace(/^and\s+/, ''),
    )
    .filter((name) => PERSON.test(name));
}

function recordOf(text: string, format: DraftFormat): Omit<SourcePaper['paper'], 'id' | 'title'> {
  const front = format === 'markdown' ? frontMatter(text) : {};
  const preamble = format === 'latex' ? text.slice(0, 200_000) : '';
  const authors =
    format === 'markdown' ? yamlNames(front.authors ?? front.author) : latexNames(preamble);
  const stated = format === 'markdown' ? textOf(front.date) : argumentsOf(preamble, 'date')[0];
  return {
    authors: authors.filter((name) => name !== ''),
    date: stated ? parseDate(latexToText(stated)) : null,
    venue: 'notes',
    url: safeUrl(textOf(front.url)),
    doi: plainDoi(textOf(front.doi)),
  };
}

function titleOf(prose: Prose, path: string): string {
  const heading = prose.headings.find(({ level }) => level < 7)?.text;
  const stem = basename(path)
    .replace(/(?:\.gz|\.[^.]*)+$/, '')
    .replace(/[_-]+/g, ' ');
  return cleanTitle(prose.title ?? '') || heading?.trim() || stem.trim() || basename(path);
}

/**
 * An id that stays while the file stays where it is, whatever is written in it: notes have no
 * other identity, and two of one title are two notes.
 */
async function idOf(path: string): Promise<string> {
  const real = await realpath(path).catch(() => path);
  const folded = process.platform === 'win32' ? real.toLowerCase() : real;
  const name = basename(path)
    .replace(/\.[^.]*$/, '')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .slice(0, 60);
  return `${FILE_ID}${name}-${shortHash(join(dirname(folded), basename(folded))).slice(0, 10)}`;
}

/** The last whole document that was read: its chapters, met next, stand for the same paper. */
let last: { key: string; paper: SourcePaper } | null = null;

export const notes: Importer = {
  name: 'LaTeX and Markdown',
  accepts: (path) => formatOf(plainName(path)) !== null,
  /**
   * One paper. A file that another one inputs gives the whole document it belongs to, under the
   * same id: folders hold it once, and a chapter given alone is not lost.
   */
  async *read(path, options, report, signal): AsyncGenerator<SourcePaper> {
    const format = formatOf(plainName(path)) ?? 'markdown';
    const { text, bytes } = await readWhole(path, report, signal);
    const whole = format === 'latex' ? await wholeDocument(path, text) : { root: path, text };
    if (signal.aborted) return;
    options.onBytes?.(bytes);
    const key = `${whole.root}\n${shortHash(whole.text)}`;
    if (last?.key === key) {
      yield last.paper;
      return;
    }
    const prose = parseProse(whole.text, format);
    const sentences = prose.sentences.flatMap((sentence) =>
      proseSentence(sentence.text).map((part) => ({
        text: part,
        role: null,
        section: sentence.section,
      })),
    );
    if (sentences.length === 0) {
      const message = 'It holds no sentence to index (headings, figures, code or formulas only).';
      report({ source: path, line: null, message }, true);
      return;
    }
    const paper: SourcePaper = {
      paper: {
        id: await idOf(whole.root),
        title: titleOf(prose, whole.root),
        ...recordOf(whole.text, format),
      },
      sentences,
      titleOnly: false,
    };
    last = { key, paper };
    yield paper;
  },
};
