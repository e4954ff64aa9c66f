/** `ratio cite`: the editor's citation, computed by the same code, written to disk. */
import { relative, resolve } from 'node:path';
import { computeCitation, describeEdits, DiskFiles, refuseUnread, writeEdits } from '../cite';
import { arxivIdInText, bareArxivId, normaliseDoi } from '../cite/identity';
import { RatioError } from '../engine/engine';
import { throwIfCancelled } from '../engine/errors';
import { placeOf } from './at';
import { preparePools, withEngine } from './engine';
import { interruptSignal, UsageError } from './exit';

interface CiteOptions {
  at: string;
  pool: string[];
  bib?: string;
  dryRun: boolean;
  force: boolean;
  json: boolean;
}

/**
 * What the typed id may stand for: an id as it is, an arXiv id or a DOI with or without prefix, as an address or
 * not. An arXiv paper has a DOI by its id as well.
 */
export function namesOf(typed: string): { ids: string[]; dois: string[] } {
  const text = typed.trim();
  const arxiv = bareArxivId(text) ?? arxivIdInText(text);
  const doi = normaliseDoi(text);
  const dois = [doi, arxiv === null ? null : `10.48550/arxiv.${arxiv}`].flatMap(
    (each) => each ?? [],
  );
  const ids = [
    text,
    ...(arxiv === null ? [] : [`arxiv:${arxiv}`]),
    ...dois.map((each) => `doi:${each}`),
  ];
  return { ids: [...new Set(ids)], dois: [...new Set(dois)] };
}

/** Cites the paper in the sentence at `--at`. */
export async function cite(paperId: string, options: CiteOptions): Promise<void> {
  const place = placeOf(options.at);
  // Read now, so that an edit of the draft while the engine loads is noticed when the citation is written.
  const files = new DiskFiles();
  if (files.read(place.path) !== place.text) {
    throw new RatioError(
      'disk',
      `${place.path} was changed while it was read. Nothing was written: cite again.`,
    );
  }
  const pools = options.pool.length > 0 ? options.pool : null;
  const signal = interruptSignal();
  const { found, notices } = await withEngine(
    'cpu',
    async (engine) => {
      await preparePools(engine, pools, signal, { starterOnly: true });
      return engine.findPaper(namesOf(paperId), pools);
    },
    { upkeep: 'none' },
  );
  throwIfCancelled(signal);
  if (!found) {
    for (const notice of notices) process.stderr.write(`ratio: ${notice}\n`);
    const where = options.pool.length > 0 ? options.pool.join(', ') : 'any pool';
    throw new RatioError(
      'not-found',
      `No paper "${paperId}" in ${where}. It stands in the last line of each result of "ratio query".`,
    );
  }
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
  // What cannot be read is not to look as if it were new.
  for (const { create, path } of result.edits) if (create) refuseUnread(path);
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
