import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '../host/session';
import { useEditor } from '../host/session';
import { EXAMPLES, FLUENT, move, Panel, TUNING, until, type MoveLabel } from './support';

const FORGET = 'Neural networks forget earlier tasks as they learn new ones.';
const ASK = 'Users stop answering when an assistant asks back too often.';
const BIB = `@article{hartwell2019goals,
  author  = {Hartwell, Ines and Okoro, Ben},
  title   = {Keeping Goals in Sight while Reading Proofs},
  journal = {Journal of Imaginary Didactics},
  year    = {2019}
}
`;
const latex = (body: string, end = '') =>
  `\\documentclass{article}\n\\begin{document}\n${body}\n${end}\\end{document}\n`;

const FILES = {
  // The same sentence in another draft of the same .bib.
  'twin.tex': latex(
    `An old remark~\\citep{lewis2020rag}.\n${TUNING.whole}`,
    '\\bibliography{references}\n',
  ),
  'md/paper.md': `---\ntitle: Paper\nbibliography: library.bib\n---\n\nAs others say [@hartwell2019goals]. ${ASK} More follows.\n`,
  'md/library.bib': BIB,
  'book/main.tex': latex('\\input{chapters/one}', '\\bibliography{bookrefs}\n'),
  'book/chapters/one.tex': `${FORGET}\n`,
  'book/bookrefs.bib': BIB,
  'windows/crlf.tex': latex(FORGET, '\\bibliography{crlf}\n').replaceAll('\n', '\r\n'),
  'windows/crlf.bib': BIB.replaceAll('\n', '\r\n'),
  'alone/alone.tex': latex(FORGET),
};

describe('citing', function () {
  this.timeout(120_000);
  const editor = useEditor({
    workspace: EXAMPLES,
    files: FILES,
    settings: { 'files.autoSave': 'off' },
  });

  afterEach('nothing failed on the way', async () => {
    const failures = editor().workbench.page.locator('.notification-toast .codicon-error');
    assert.equal(await failures.count(), 0, 'an error is shown');
  });

  const onDisk = (file: string) => readFileSync(join(editor().workspace, file), 'utf8');

  /** Makes a move at `part` of a file and cites a card; returns the key. */
  async function cite(
    file: string,
    part: string,
    whole: string,
    { label = 'Address', card = 0 }: { label?: MoveLabel; card?: number } = {},
  ): Promise<string> {
    const panel = new Panel(editor().workbench);
    await editor().workbench.openFile(file.split('/').at(-1) ?? file);
    await move(editor(), label, file, part);
    await panel.answered(label, whole);
    return panel.cite(card);
  }

  /** Undoes in a draft's editor, as a user does, and answers VS Code's question about the files, if it asks. */
  async function undo({ workbench, bridge }: Session, file: string, part: string): Promise<void> {
    await bridge.placeCursor(file, part);
    await workbench.page.locator('.editor-instance .monaco-editor.focused').first().waitFor();
    await workbench.page.keyboard.press('Control+Z');
    await answer(workbench);
  }

  /** Some hosts ask which files of an undo to take back: then all of them. What came of it, each test looks at itself. */
  async function answer(workbench: Session['workbench']): Promise<void> {
    const dialog = workbench.page.locator('.monaco-dialog-box');
    const asked = await dialog.waitFor({ timeout: 3_000 }).then(
      () => true,
      () => false,
    );
    if (!asked) return;
    await workbench.screenshot('cite-undo');
    await dialog.locator('.monaco-button', { hasText: /Undo in \d+ Files/ }).click();
    await dialog.waitFor({ state: 'hidden' });
  }

  it('puts the key before the full stop as the draft does, and the entry into the saved .bib', async () => {
    const { workbench, bridge } = editor();
    const before = onDisk('draft.tex');
    const bibBefore = onDisk('references.bib');
    const key = await cite('draft.tex', TUNING.part, TUNING.whole);
    const draft = await bridge.document('draft.tex');
    const cited = `${TUNING.whole.slice(0, -1)}~\\citep{${key}}.`;
    assert.equal(draft.text, before.replace(TUNING.whole, cited));
    assert.ok(draft.dirty, 'the draft is left to its author');
    assert.equal(onDisk('draft.tex'), before);
    const bib = await bridge.documentWhere('references.bib', ({ dirty }) => !dirty);
    assert.ok(bib.text.startsWith(bibBefore.trimEnd()), 'the rest is as it was');
    assert.equal(bib.text.split(`{${key},`).length, 2);
    assert.equal(onDisk('references.bib'), bib.text, 'it is saved though nothing saves by itself');
    const panel = new Panel(workbench);
    assert.match(await panel.cards.first().innerText(), new RegExp(`in your .bib as ${key}`));
    await workbench.screenshot('cite-latex');
  });

  it('is taken back by one undo', async () => {
    const { bridge } = editor();
    await undo(editor(), 'draft.tex', TUNING.part);
    const draft = await bridge.documentWhere('draft.tex', ({ text }) => !text.includes('right~'));
    assert.ok(draft.text.includes(TUNING.whole));
    const example = readFileSync(join(EXAMPLES, 'references.bib'), 'utf8');
    await bridge.documentWhere('references.bib', ({ text }) => text === example);
    await until(
      'the .bib on disk as it was',
      () => onDisk('references.bib'),
      (text) => text === example,
    );
    await editor().workbench.screenshot('cite-undone');
  });

  it('is taken back by the same key in the panel, right after citing', async () => {
    const { workbench, bridge } = editor();
    const before = (await bridge.document('draft.tex')).text;
    const key = await cite('draft.tex', TUNING.part, TUNING.whole);
    await bridge.documentWhere('draft.tex', ({ text }) => text.includes(`\\citep{${key}}.`));
    await workbench.page.keyboard.press('Control+Z');
    await answer(workbench);
    await bridge.documentWhere('draft.tex', ({ text }) => text === before);
    const example = readFileSync(join(EXAMPLES, 'references.bib'), 'utf8');
    await bridge.documentWhere('references.bib', ({ text, dirty }) => text === example && !dirty);
  });

  it('uses the key of a paper that the .bib has', async () => {
    const { bridge } = editor();
    const key = await cite('draft.tex', TUNING.part, TUNING.whole, { label: 'Specify' });
    const panel = new Panel(editor().workbench);
    await editor().workbench.openFile('twin.tex');
    await move(editor(), 'Specify', 'twin.tex', TUNING.part);
    await panel.frame.locator('.place', { hasText: 'twin.tex' }).waitFor();
    await panel.answered('Specify', TUNING.whole);
    // Not the first: a card that is kept for the reader may stand above it.
    const known = panel.frame.locator('article.card', { hasText: `in your .bib as ${key}` });
    await known.first().waitFor();
    const texts = await panel.cards.allInnerTexts();
    const at = texts.findIndex((text) => text.includes(`in your .bib as ${key}`));
    await panel.focusCard(at);
    await panel.press('c');
    const cited = `${TUNING.whole.slice(0, -1)}~\\citep{${key}}.`;
    await bridge.documentWhere('twin.tex', ({ text }) => text.includes(cited));
    const bib = await bridge.document('references.bib');
    assert.equal(bib.text.split(`{${key},`).length, 2, 'one entry');
    // The same card again changes nothing, and says so.
    await panel.focusCard(at);
    await panel.press('c');
    await editor().workbench.toast(`the sentence cites ${key} already`);
    assert.equal((await bridge.document('twin.tex')).text.split(key).length, 2);
    await editor().workbench.clearToasts();
  });

  it('edits a .bib with unsaved changes from its editor and leaves saving to its author', async () => {
    const { workbench, bridge } = editor();
    await workbench.openFile('references.bib');
    const start = { line: 0, character: 0 };
    await bridge.selectRange('references.bib', start, start);
    await bridge.execute('type', { text: '% mine\n' });
    await bridge.documentWhere(
      'references.bib',
      ({ dirty, text }) => dirty && text.startsWith('% mine\n'),
    );
    const saved = onDisk('references.bib');
    const key = await cite('draft.tex', FLUENT.part, FLUENT.whole, { card: 2 });
    const bib = await bridge.documentWhere('references.bib', ({ text }) =>
      text.includes(`{${key},`),
    );
    assert.ok(bib.text.startsWith('% mine\n'));
    assert.ok(bib.dirty);
    assert.equal(onDisk('references.bib'), saved);
    await bridge.execute('workbench.action.files.saveAll');
    await bridge.documentWhere('references.bib', ({ dirty }) => !dirty);
  });

  it('cites a followed card into the sentence that began the trail, wherever it has moved', async () => {
    const { workbench, bridge } = editor();
    const panel = new Panel(workbench);
    const sentence = 'A model should know when it does not know.';
    await workbench.openFile('draft.tex');
    await move(editor(), 'Address', 'draft.tex', 'A model should');
    await panel.answered('Address', sentence);
    const typeAt = async (part: string, text: string) => {
      await bridge.placeCursor('draft.tex', part);
      await bridge.execute('type', { text });
    };
    await typeAt('\\section{Data}', '% typed above\n\n');
    await typeAt('know when it does', 'really ');
    const edited = sentence.replace('know when', 'really know when');
    await bridge.documentWhere(
      'draft.tex',
      ({ text }) => text.includes(edited) && text.includes('% typed above'),
    );
    await panel.focusCard(0);
    const followed = await panel.sentence(0);
    await panel.press('s');
    await panel.answered('Specify', followed);
    const key = await panel.cite(0);
    const cited = `${edited.slice(0, -1)}~\\citep{${key}}.`;
    await bridge.documentWhere('draft.tex', ({ text }) => text.includes(cited));
  });

  it('works from the draft, by key, on the card that was last looked at', async () => {
    const { workbench, bridge } = editor();
    const panel = new Panel(workbench);
    await workbench.openFile('draft.tex');
    await move(editor(), 'Specify', 'draft.tex', 'Annotators disagree');
    await panel.answered('Specify', 'Annotators disagree about which questions are ambiguous');
    await panel.focusCard(1);
    await bridge.placeCursor('draft.tex', 'Annotators disagree');
    await panel.press('Control+Alt+R', 'c');
    const key = await panel.cards.nth(1).locator('.in-bib code').innerText();
    const cited = `hides that disagreement~\\citep{${key}}.`;
    await bridge.documentWhere('draft.tex', ({ text }) => text.includes(cited));
  });

  it('writes Markdown into Markdown, with the .bib of its front matter', async () => {
    const { bridge } = editor();
    const key = await cite('md/paper.md', 'stop answering', ASK);
    const cited = `${ASK.slice(0, -1)} [@${key}].`;
    await bridge.documentWhere('paper.md', ({ text }) => text.includes(`${cited} More follows.`));
    await bridge.documentWhere('md/library.bib', ({ dirty }) => !dirty);
    assert.ok(onDisk('md/library.bib').includes(`{${key},`));
    await editor().workbench.screenshot('cite-markdown');
    await undo(editor(), 'paper.md', 'stop answering');
    await bridge.documentWhere('paper.md', ({ text }) => text === FILES['md/paper.md']);
    await bridge.documentWhere('md/library.bib', ({ text }) => text === BIB);
  });

  it('finds the .bib of a chapter through its root file', async () => {
    const { bridge } = editor();
    const key = await cite('book/chapters/one.tex', 'forget earlier', FORGET);
    await bridge.documentWhere(
      'one.tex',
      ({ text }) => /new ones~\\cite\w*\{/.test(text) && text.includes(key),
    );
    await until(
      'the entry',
      () => onDisk('book/bookrefs.bib'),
      (text) => text.includes(`{${key},`),
    );
  });

  it('keeps the line ends of a .bib', async () => {
    const key = await cite('windows/crlf.tex', 'forget earlier', FORGET, {
      label: 'Specify',
      card: 1,
    });
    const bib = await until(
      'the entry',
      () => onDisk('windows/crlf.bib'),
      (text) => text.includes(`{${key},`),
    );
    assert.ok(bib.startsWith(BIB.replaceAll('\n', '\r\n').trimEnd()));
    assert.equal(/(?<!\r)\n/.test(bib), false, JSON.stringify(bib));
  });

  it('asks where there is no .bib, and makes one', async () => {
    const { workbench, bridge, workspace } = editor();
    const panel = new Panel(workbench);
    await workbench.openFile('alone.tex');
    await move(editor(), 'Broaden', 'alone.tex', 'forget earlier');
    await panel.answered('Broaden', FORGET);
    await panel.focusCard(0);
    await panel.press('c');
    const quick = workbench.page.locator('.quick-input-widget:visible');
    await quick.waitFor();
    assert.match(await quick.innerText(), /which \.bib does this draft use/);
    await workbench.screenshot('cite-no-bib');
    // Closed, nothing happens.
    await panel.press('Escape');
    await quick.waitFor({ state: 'hidden' });
    assert.equal((await bridge.document('alone.tex')).text, FILES['alone/alone.tex']);
    await panel.focusCard(0);
    await panel.press('c');
    await workbench.pick(/Create .*\.bib/);
    const key = await panel.cards.first().locator('.in-bib code').innerText();
    await bridge.documentWhere('alone.tex', ({ text }) => text.includes(`{${key}}`));
    const toast = await workbench.toast('does not name');
    const made = /does not name (\S+\.bib)/.exec(await toast.innerText())?.[1];
    assert.ok(made && existsSync(join(workspace, made)), made ?? 'no file is named');
    await until(
      'the entry',
      () => onDisk(made),
      (text) => text.includes(`{${key},`),
    );
    await workbench.clearToasts();
    await undo(editor(), 'alone.tex', 'forget earlier');
    await bridge.documentWhere('alone.tex', ({ text }) => text === FILES['alone/alone.tex']);
    const there = (): boolean => existsSync(join(workspace, made));
    await until('the .bib is gone', there, (is) => !is);
    // Saving it late would bring it back, empty.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    assert.ok(!there(), 'it stays away');
  });
});
