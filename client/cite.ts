/** Citing a paper: asks the server for the edit, applies it as one, saves what was clean. */
import * as vscode from 'vscode';
import type { CiteResult, Paper, Taken } from '../server/protocol';
import type { CitationHistory, Saved } from './citations';
import { messageOf, type Connection } from './connection';
import { lostInDecoding } from './encoding';
import type { OriginTracker } from './origin';
import { savesBibliography } from './settings';
import { openDraft } from './showDraft';

type CiteEdits = Extract<CiteResult, { kind: 'edits' }>;

/** What a user is told whose draft no longer says what a trail began with. */
export const ORIGIN_GONE = 'The sentence that began this search has changed or moved.';

/** How often a citation is computed again because the document changed meanwhile. */
const ATTEMPTS = 3;

/** Addresses of the .bib files of which was said that saving changes them: once is enough. */
const changedBySaving = new Set<string>();

/** Drafts, and the .bib of each, of which was said that the draft does not name it. */
const saidUndeclared = new Set<string>();

/** Path of the .bib that was chosen for a draft that does not say which it uses, by the draft's address: asked once a window. */
const chosenBibliographies = new Map<string, string>();

/** What citing goes by: the server, where the draft's sentence is, and who follows what was cited. */
export interface Citing {
  connection: Connection;
  tracker: OriginTracker;
  history: CitationHistory;
}

/**
 * Cites a paper in the draft sentence that began the trail.
 * @returns the key it is cited by, or null where the user chose not to go on
 * @throws with what to do, where that sentence, its draft or the .bib does not allow it
 */
export async function citePaper(
  { connection, tracker, history }: Citing,
  paper: Paper,
  origin: Taken | null,
): Promise<string | null> {
  if (!origin?.uri || !origin.range) {
    throw new Error(
      'This search did not begin in a draft. Put the cursor in the sentence, make a move from there, and cite again.',
    );
  }
  refuseScheme(vscode.Uri.parse(origin.uri, true).scheme);
  const document = await openDraft(origin.uri);
  let bib: string | null = null;
  let sure = false;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const range = await originRange(connection, tracker, document, origin);
    if (range === null) throw new Error(`${ORIGIN_GONE} Make the move from it again, then cite.`);
    const result = await connection.cite({
      uri: origin.uri,
      range: wireRange(range),
      paper,
      bib,
    });
    if (result.kind === 'needs-bib') {
      bib = await bibliographyFor(origin.uri, result);
      if (bib === null) return null;
      continue;
    }
    if (result.unpublished && !sure) {
      sure = await isSure(paper.title);
      if (!sure) return null;
    }
    if (await apply(result, origin.uri, history)) return result.key;
  }
  throw new Error('The draft or its .bib kept changing while the citation was made. Cite again.');
}

/** Throws for a draft beside which no .bib can be found. Of one that was never saved, the server says what to do. */
function refuseScheme(scheme: string): void {
  if (scheme === 'file' || scheme === 'untitled') return;
  const why =
    scheme === 'vscode-notebook-cell'
      ? 'Ratio cites in LaTeX and Markdown files, not in the cells of a notebook.'
      : `This draft is no file on the disk (its address begins with ${scheme}:), so its .bib cannot be found.`;
  throw new Error(`${why} “Copy” on the card (Y) takes the sentence with its citation.`);
}

/** Asks before the first citation of what is only a file of the user's. */
async function isSure(title: string): Promise<boolean> {
  const anyway = 'Cite Anyway';
  const answer = await vscode.window.showWarningMessage(
    `Cite your own file “${title}”?`,
    {
      modal: true,
      detail:
        'It comes from a LaTeX or Markdown file in your pools, notes or a draft perhaps, that names no DOI or address. Its entry would point readers to nothing that is published. Naming a doi or url in the YAML header of a Markdown file, and updating the pool, settles this.',
    },
    anyway,
  );
  return answer === anyway;
}

/**
 * Where the text that began the trail stands now. Where nobody tracked the draft's edits, after a reload say, it is
 * sought, and tracked from then on. Null where it is there no more.
 */
export async function originRange(
  connection: Connection,
  tracker: OriginTracker,
  document: vscode.TextDocument,
  origin: Taken,
): Promise<vscode.Range | null> {
  const tracked = tracker.range(document, origin.text);
  if (tracked) return tracked;
  const { version } = document;
  const range = wireRange(vscodeRange(origin.range));
  const found = await connection.take({ uri: document.uri.toString(), range, text: origin.text });
  if (!found?.range) return null;
  const now = vscodeRange(found.range);
  if (document.version === version) tracker.follow(document, now, origin.text);
  return now;
}

/** Applies the edits as one undoable step and saves a .bib that was clean. False when outdated. */
async function apply(result: CiteEdits, draft: string, history: CitationHistory): Promise<boolean> {
  // VS Code says of an empty edit that it failed.
  if (result.documents.length === 0) {
    void vscode.window.showInformationMessage(`Ratio: the sentence cites ${result.key} already.`);
    return true;
  }
  for (const { uri, create } of result.documents) {
    if (!create) await refuseUneditable(vscode.Uri.parse(uri, true));
  }
  const edit = new vscode.WorkspaceEdit();
  const bibUri = vscode.Uri.parse(result.bibUri, true);
  let bibWasClean = true;
  let bibBefore = '';
  const versions = new Map<vscode.TextDocument, number>();
  for (const { uri, version, create, edits } of result.documents) {
    const target = vscode.Uri.parse(uri, true);
    if (create) edit.createFile(target, { ignoreIfExists: true });
    const open = vscode.workspace.textDocuments.find(
      (document) => document.uri.toString() === target.toString(),
    );
    if (open && version !== null && open.version !== version) return false;
    if (open) versions.set(open, open.version);
    if (open && target.toString() === bibUri.toString()) {
      bibWasClean = !open.isDirty;
      bibBefore = open.getText();
    }
    edit.set(
      target,
      edits.map(({ range, newText }) => new vscode.TextEdit(vscodeRange(range), newText)),
    );
  }
  if (!(await vscode.workspace.applyEdit(edit))) {
    // It may have come too late, after a keystroke: the citation is computed again.
    for (const [document, version] of versions) if (document.version !== version) return false;
    throw new Error(
      'VS Code could not apply the citation. Check that the draft and the .bib can be written.',
    );
  }
  const undeclared = `${draft} ${bibUri.toString()}`;
  if (!result.bibDeclared && !saidUndeclared.has(undeclared)) {
    saidUndeclared.add(undeclared);
    void vscode.window.showWarningMessage(
      `Ratio: the draft does not name ${vscode.workspace.asRelativePath(bibUri)} yet. Add it to the draft's bibliography so that ${result.key} is found.`,
    );
  }
  const edited = (uri: string): boolean =>
    result.documents.some((document) => document.uri === uri);
  const bib = edited(result.bibUri) ? await vscode.workspace.openTextDocument(bibUri) : null;
  const created = result.documents.some(({ uri, create }) => create && uri === result.bibUri);
  const save = history.made({
    draft: edited(draft) ? draft : null,
    bib: bib && { uri: bib.uri.toString(), before: bibBefore, after: bib.getText(), created },
  });
  if (bib && bibWasClean && savesBibliography()) tellOfSaving(await save(bib), bibUri, result.key);
  return true;
}

/** Says what came of saving a .bib after citing, where that is not what was to be expected. */
function tellOfSaving(saved: Saved, bib: vscode.Uri, key: string): void {
  const name = vscode.workspace.asRelativePath(bib);
  if (saved === 'failed') {
    void vscode.window.showWarningMessage(
      `Ratio: the entry ${key} is in ${name}, but the file could not be saved.`,
    );
  } else if (saved === 'changed' && !changedBySaving.has(bib.toString())) {
    changedBySaving.add(bib.toString());
    void vscode.window.showInformationMessage(
      `Ratio: saving ${name} changed it further (a formatter, or files.trimTrailingWhitespace). Undo in the draft will therefore leave the entry ${key} there; undo in ${name} as well to take it back.`,
    );
  }
}

/**
 * Throws for a file that citing can't edit: one too large for extensions, or one that VS Code opens in an encoding that
 * is not its own, since saving would destroy letters.
 */
async function refuseUneditable(uri: vscode.Uri): Promise<void> {
  const document = await openToEdit(uri);
  const text = document.getText();
  if (document.isUntitled || !text.includes('\uFFFD')) return;
  let bytes: Uint8Array;
  try {
    bytes = await vscode.workspace.fs.readFile(uri);
  } catch {
    // It is only in the editor: there are no bytes to lose.
    return;
  }
  if (!lostInDecoding(text, bytes)) return;
  throw new Error(
    `${vscode.workspace.asRelativePath(uri)} is not UTF-8, but VS Code reads it as such, and saving it would destroy its accented letters. Nothing was changed. Reopen it with its own encoding (“Change File Encoding”, for instance Western ISO 8859-1) or save it as UTF-8, then cite again.`,
  );
}

/** Opens a document; one of more than 50 MB is no extension's, and VS Code does not say what to do then. */
async function openToEdit(uri: vscode.Uri): Promise<vscode.TextDocument> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch (error) {
    if (!/above 50MB/i.test(messageOf(error))) throw error;
    throw new Error(
      `${vscode.workspace.asRelativePath(uri)} is over 50 MB, and VS Code lets no extension edit such a file. Nothing was changed. Cite in a terminal, with “ratio cite”, or let the draft name a smaller .bib and cite again.`,
      { cause: error },
    );
  }
}

/** The .bib that was chosen for the draft before, as long as it is there, else the one the user chooses now; null for none. */
async function bibliographyFor(
  draft: string,
  need: Extract<CiteResult, { kind: 'needs-bib' }>,
): Promise<string | null> {
  const before = chosenBibliographies.get(draft);
  if (before !== undefined && (await exists(vscode.Uri.file(before)))) return before;
  const chosen = await chooseBibliography(need);
  if (chosen !== null) chosenBibliographies.set(draft, chosen);
  return chosen;
}

async function exists(file: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(file);
    return true;
  } catch {
    return false;
  }
}

/** Asks which .bib to use. Null when the user closes the question. */
async function chooseBibliography(
  need: Extract<CiteResult, { kind: 'needs-bib' }>,
): Promise<string | null> {
  type Item = vscode.QuickPickItem & { path: string | null };
  const items: Item[] = need.candidates.map((path) => ({
    label: vscode.workspace.asRelativePath(path),
    path,
  }));
  if (!need.candidates.includes(need.suggested)) {
    items.push({
      label: `$(new-file) Create ${vscode.workspace.asRelativePath(need.suggested)}`,
      path: need.suggested,
    });
  }
  items.push({ label: '$(folder-opened) Choose a file…', path: null });
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'Ratio: which .bib does this draft use?',
    placeHolder: need.reason,
  });
  if (!chosen) return null;
  if (chosen.path !== null) return chosen.path;
  const [file] =
    (await vscode.window.showOpenDialog({
      filters: { Bibliographies: ['bib'] },
      openLabel: 'Use This .bib',
    })) ?? [];
  return file?.fsPath ?? null;
}

/** A protocol range as VS Code's. */
export function vscodeRange(range: Taken['range']): vscode.Range {
  if (!range) return new vscode.Range(0, 0, 0, 0);
  const { start, end } = range;
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** A VS Code range as the protocol's. */
export function wireRange(range: vscode.Range): NonNullable<Taken['range']> {
  const { start, end } = range;
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
}

/** Shows why citing failed. */
export function citeFailed(error: unknown): void {
  void vscode.window.showErrorMessage(`Ratio: ${messageOf(error)}`);
}
