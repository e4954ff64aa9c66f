/**
 * Citing a paper: the edit of the draft and that of its bibliography, worked out from texts alone,
 * so that the editor and the terminal share it.
 */
import type { Paper } from '../engine/engine';
import { RatioError } from '../engine/engine';
import { asidesOf } from '../prose/latex/asidesOf';
import { newEntry, placeEntry } from './bibEntry';
import { BibIndex } from './bibIndex';
import { detectStyle } from './bibStyle';
import { lookForBibliographies, type Bibliographies } from './bibliographies';
import { isUnpublished } from './identity';
import { citeOfPackages } from './citePackages';
import { newLatexCite, preferredCite } from './latexCites';
import { latexTokens } from './latexTokens';
import { markdownTokens, newMarkdownCite } from './markdownTokens';
import { folderOf, nameOf, pathKey, samePath, within } from './paths';
import { findPlace } from './place';
import { rootPreamble } from './texProject';
import { windowAround } from './tokens';
import type {
  CitationRequest,
  CitationResult,
  Draft,
  FileEdit,
  FileSource,
  NeedsBib,
  TextEdit,
} from './types';

/** Bibliographies that come with TeX or a publisher and that nobody adds to. */
const NOT_OWN =
  /^(?:IEEEabrv|IEEEfull|anthology(?:-\d+)?|abbrev\w*|strings?|journals?|conferences?|crossref\w*|string-?(?:long|short)\w*)\.bib$/i;

/**
 * Works out the edits that cite a paper in a sentence of a draft.
 *
 * The paper is looked for in every bibliography the draft uses; where it is there, its key is used
 * and no entry is added. Rejects nothing that can be cited: where no bibliography can be chosen the
 * result says so. Throws a {@link RatioError} (`bad-input`) for a sentence outside of the draft or
 * a paper without a title.
 */
export function computeCitation(request: CitationRequest): CitationResult {
  const { draft, sentence, paper, files } = request;
  check(request);
  const bibs = lookForBibliographies(draft, files);
  const chosen = choose(request, bibs);
  if (typeof chosen !== 'string') return chosen;

  const declares = (path: string) => bibs.declared.some((each) => samePath(each, path));
  const others = bibs.declared.filter((path) => !samePath(path, chosen));
  const texts = new Map([chosen, ...others].map((path) => [path, files.read(path)]));
  for (const [path, text] of texts) {
    const key = text === null ? null : BibIndex.of(text).find(paper);
    if (key === null) continue;
    const edit = draftEdit(draft, sentence, key, bibs, files);
    return {
      kind: 'edits',
      key,
      reused: true,
      unpublished: false,
      alreadyCitedHere: edit === null,
      bibPath: path,
      bibCreated: false,
      bibDeclared: declares(path),
      edits: edit ? [{ path: draft.path, edits: [edit] }] : [],
    };
  }

  const { key, edit: bibEdit } = addEntry(paper, chosen, texts, bibs, draft, files);
  const edit = draftEdit(draft, sentence, key, bibs, files);
  return {
    kind: 'edits',
    key,
    reused: false,
    unpublished: isUnpublished(paper),
    alreadyCitedHere: edit === null,
    bibPath: chosen,
    bibCreated: bibEdit.create === true,
    bibDeclared: declares(chosen),
    edits: [bibEdit, ...(edit ? [{ path: draft.path, edits: [edit] }] : [])],
  };
}

function check({ draft, sentence, paper }: CitationRequest): void {
  const { start, end } = sentence;
  if (!(
    Number.isInteger(start) &&
    Number.isInteger(end) &&
    start >= 0 &&
    start < end &&
    end <= draft.text.length
  )) {
    throw new RatioError(
      'bad-input',
      `No sentence to cite in: characters ${start} to ${end} are not in ${nameOf(draft.path)}, which has ${draft.text.length}. Place the cursor in a sentence and cite again.`,
    );
  }
  if (!draft.text.slice(start, end).trim()) {
    throw new RatioError(
      'bad-input',
      `No sentence to cite in at character ${start} of ${nameOf(draft.path)}: there is only white space. Place the cursor in a sentence and cite again.`,
    );
  }
  if (!paper.title.trim()) {
    throw new RatioError(
      'bad-input',
      `The paper ${paper.id} has no title, so it cannot be cited. Correct its record and update the pool.`,
    );
  }
}

/** The .bib file a new entry goes into, or the question which. */
function choose({ draft, files, bib }: CitationRequest, bibs: Bibliographies): string | NeedsBib {
  if (bib !== undefined && bib !== '') return within(folderOf(draft.path), bib);
  const declared = bibs.declared.filter((path) => !NOT_OWN.test(nameOf(path)));
  if (declared.length > 0) {
    const there = declared.filter((path) => files.read(path) !== null);
    if (there.length > 0) return byUse(there, draft, bibs, files)[0] ?? there[0] ?? '';
    return declared.at(-1) ?? '';
  }
  const beside = within(folderOf(draft.path), 'references.bib');
  const name = nameOf(draft.path);
  const { nearby, foreign } = bibs;
  if (foreign.length > 0) {
    const reason = `${name} takes its bibliography from ${foreign.join(', ')}, which holds no BibTeX. Choose a .bib file to add the paper to.`;
    return { kind: 'needs-bib', candidates: nearby, suggested: nearby[0] ?? beside, reason };
  }
  const own = nearby.filter((path) => !NOT_OWN.test(nameOf(path)));
  if (own.length === 1 && own[0] !== undefined) return own[0];
  if (own.length > 1) {
    const candidates = byUse(own, draft, bibs, files);
    const reason = `${name} does not say which of the ${own.length} .bib files in its folder it uses. Choose one.`;
    return { kind: 'needs-bib', candidates, suggested: candidates[0] ?? beside, reason };
  }
  const reason = `${name} names no bibliography, and there is no .bib file in its folder. Choose one, or a name for a new one.`;
  return { kind: 'needs-bib', candidates: [], suggested: beside, reason };
}

/** Bibliographies in the order of how many of the draft's citations they hold; later ones first among equals. */
function byUse(paths: string[], draft: Draft, bibs: Bibliographies, files: FileSource): string[] {
  if (paths.length < 2) return paths;
  const sources = [draft.text, ...otherSources(draft, bibs, files)].join('\n');
  const cited = new Set(
    [
      ...sources.matchAll(/cite[a-zA-Z]*\*?(?:\[[^\]]*\]){0,2}\{([^{}]+)\}|@([\p{L}\p{N}_:.-]+)/gu),
    ].flatMap((match) => (match[1] ?? match[2] ?? '').split(',').map((key) => key.trim())),
  );
  const use = (path: string) => {
    const text = files.read(path);
    if (text === null) return 0;
    return BibIndex.of(text).scan.entries.filter((entry) => cited.has(entry.key)).length;
  };
  const uses = new Map(paths.map((path) => [path, use(path)]));
  return paths.toReversed().sort((a, b) => (uses.get(b) ?? 0) - (uses.get(a) ?? 0));
}

function otherSources(draft: Draft, bibs: Bibliographies, files: FileSource): string[] {
  return bibs.sources
    .filter((path) => pathKey(path) !== pathKey(draft.path))
    .flatMap((path) => files.read(path) ?? []);
}

/** The command of the package that a draft or its project loads for its citations. */
function packagesCite(draft: Draft, bibs: Bibliographies, files: FileSource): string {
  const sources = [draft.text, ...otherSources(draft, bibs, files)];
  const folders = new Set(bibs.sources.map(folderOf));
  const styles = (name: string) =>
    [...folders].flatMap((folder) => files.read(within(folder, name)) ?? []).slice(0, 1);
  return citeOfPackages(sources, styles);
}

function addEntry(
  paper: Paper,
  path: string,
  texts: Map<string, string | null>,
  bibs: Bibliographies,
  draft: Draft,
  files: FileSource,
): { key: string; edit: FileEdit } {
  const text = texts.get(path) ?? null;
  const { scan } = BibIndex.of(text ?? '');
  const style = detectStyle(scan);
  const indexes = [...texts.values()].map((each) => BibIndex.of(each ?? ''));
  const isNew = scan.entries.length === 0;
  if (isNew && /\r\n/.test(draft.text) && !scan.text.trim()) style.eol = '\r\n';
  const strict = files.asciiOnly?.(path) ?? false;
  // Classic BibTeX with a pure ASCII file wants commands for accents; the rest takes any character.
  const ascii = strict || !(style.nonAscii || style.biblatex || bibs.biblatex);
  const entry = newEntry(paper, {
    scan,
    style,
    escape: { ascii, strict },
    taken: (key) => indexes.some((index) => index.has(key)),
  });
  const { at, newText } = placeEntry(scan, style, entry.text);
  const edit: FileEdit = { path, edits: [{ start: at, end: at, newText }] };
  return { key: entry.key, edit: text === null ? { ...edit, create: true } : edit };
}

/** Whether a name is that of the draft's own macro for remarks; macros are looked for when one is asked about. */
function asideTest(draft: Draft, files: FileSource): (name: string) => boolean {
  let names: Set<string> | undefined;
  return (name) => {
    names ??= new Set([...asidesOf(draft.text), ...asidesOf(rootPreamble(draft, files) ?? '')]);
    return names.has(name);
  };
}

/** The edit that cites a key in a sentence, or null where it cites it already. */
function draftEdit(
  draft: Draft,
  sentence: { start: number; end: number },
  key: string,
  bibs: Bibliographies,
  files: FileSource,
): TextEdit | null {
  const { text, format } = draft;
  const window = windowAround(text, sentence);
  const tokens =
    format === 'latex'
      ? latexTokens(text, window, asideTest(draft, files))
      : markdownTokens(text, window);
  const place = findPlace(text, tokens, window);
  if (place.keys.has(key)) return null;
  if (place.adjacent) {
    const { insertAt, append } = place.adjacent;
    return { start: insertAt, end: insertAt, newText: append(key) };
  }
  const newText =
    format === 'latex'
      ? newLatexCite(
          preferredCite(
            text,
            () => otherSources(draft, bibs, files),
            () => packagesCite(draft, bibs, files),
          ),
          key,
        )
      : newMarkdownCite(key);
  return { start: place.at, end: place.at, newText };
}
