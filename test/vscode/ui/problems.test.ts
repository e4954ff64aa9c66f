import assert from 'node:assert/strict';
import { useEditor } from '../host/session';
import { EXAMPLES, FIRST_ANSWER_MS, Panel, until } from './support';

const LATEX =
  'However, existing reward models suffer from a bias towards long answers and fail to reward brevity.';
const FILES = {
  'brevity.tex': `\\documentclass{article}
\\begin{document}
\\section{Introduction}
We study how people rate answers.
\\section{Discussion}
${LATEX}
\\end{document}
`,
  'calm.md': 'We bake bread in the morning and eat it at noon.\n',
};
/** Of examples/notes.md. */
const MARKDOWN = 'It is unclear how to measure whether';

describe('the list of problem statements', function () {
  this.timeout(120_000);
  const editor = useEditor({ workspace: EXAMPLES, files: FILES });
  const view = () =>
    editor().workbench.page.locator('.pane', {
      has: editor().workbench.page.locator('.pane-header', { hasText: 'Problem Statements' }),
    });
  const rows = () => view().locator('.monaco-list-row');
  const texts = () => rows().allInnerTexts();
  const listed = (part: string, timeout = FIRST_ANSWER_MS) =>
    until(
      `a row with “${part}”`,
      texts,
      (found) => found.some((text) => text.includes(part.slice(0, 40))),
      timeout,
    );

  it('says what it is for while no draft is open', async () => {
    const { workbench, bridge } = editor();
    await bridge.execute('ratio.problems.focus');
    await workbench.page.locator('.pane', { hasText: 'Open a LaTeX or Markdown draft' }).waitFor();
  });

  it('lists those of a LaTeX draft, with their sections', async () => {
    const { workbench } = editor();
    await workbench.openFile('brevity.tex');
    const found = await listed(LATEX);
    assert.ok(!found.join('\n').includes('We study how people'), found.join('\n'));
    const section = rows().filter({ hasText: LATEX.slice(0, 40) });
    assert.match((await section.getAttribute('aria-label')) ?? '', /Discussion/);
    await workbench.screenshot('problem-list');
  });

  it('selects the sentence of a row that is clicked', async () => {
    const { bridge } = editor();
    await rows()
      .filter({ hasText: LATEX.slice(0, 40) })
      .click();
    const selected = await until(
      'the selection',
      async () => (await bridge.active())?.selected ?? '',
      (text) => text !== '',
    );
    assert.equal(selected, LATEX);
  });

  it('makes the move Address from a row', async () => {
    const { workbench } = editor();
    const row = rows().filter({ hasText: LATEX.slice(0, 40) });
    await row.hover();
    await row.locator('.actions .action-label[aria-label*="Address"]').click();
    await new Panel(workbench).answered('Address', LATEX);
  });

  it('follows the draft: edits, Markdown, and one without problems', async () => {
    const { workbench, bridge } = editor();
    await bridge.execute('ratio.problems.focus');
    await workbench.openFile('notes.md');
    await listed(MARKDOWN);
    await bridge.placeCursor('notes.md', 'Users stop answering');
    const added = 'However, existing ovens suffer from heat and fail to bake.';
    await bridge.execute('workbench.action.focusActiveEditorGroup');
    await bridge.execute('type', { text: `${added} ` });
    await listed(added);
    await workbench.openFile('calm.md');
    await view().filter({ hasText: 'No sentence of this draft' }).waitFor();
  });
});
