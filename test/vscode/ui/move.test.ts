import assert from 'node:assert/strict';
import { useEditor } from '../host/session';
import { EXAMPLES, FIRST_ANSWER_MS, FLUENT, move, Panel, statusIs, TUNING, until } from './support';

const FIGURE = String.raw`\begin{figure}
  \includegraphics{plot}
  \caption{Words per question.}
\end{figure}`;
const FORMULA = String.raw`\begin{equation}
  a^2 + b^2 = c^2
\end{equation}`;
const FILES = {
  'bare.tex': `\\documentclass{article}\n\\begin{document}\n${FIGURE}\n\n${FORMULA}\n\\end{document}\n`,
  'study.qmd':
    '---\ntitle: A study\n---\n\n# Aims\n\nAnnotators rarely agree on what makes an explanation of a model faithful.\n',
  'report.Rmd':
    '---\ntitle: A report\noutput: html_document\n---\n\n```{r}\nplot(1)\n```\n\nSearch engines miss documents that use other words than the query.\n',
  'plan.txt': 'Neural networks forget old tasks when they learn new ones.\n',
};

describe('moves from the editor', function () {
  this.timeout(120_000);
  const editor = useEditor({ workspace: EXAMPLES, files: FILES });

  it('by palette, take the sentence under the cursor and show cited inspirations', async () => {
    const { workbench, bridge } = editor();
    await workbench.openFile('draft.tex');
    await bridge.placeCursor('draft.tex', TUNING.part);
    await workbench.runCommand('Ratio: Address');
    const panel = new Panel(workbench);
    await panel.answered('Address', TUNING.whole);
    assert.equal(await panel.takenText(), TUNING.whole);
    assert.equal(await panel.current.count(), 20);
    const card = panel.cards.first();
    assert.match(await card.locator('.sentence').innerText(), /\w+ \w+ \w+/);
    assert.match(await card.locator('.title').innerText(), /\w+/);
    assert.match(await card.locator('.byline').innerText(), /\b(19|20)\d\d\b/);
    assert.match(
      await card.locator('.origins').innerText(),
      /starter[\s\S]*(?:meaning|words) #\d+/,
    );
    assert.match(await panel.text(), /20 inspirations · starter · [\d,]+ ms/);
    const active = await bridge.active();
    assert.match(active?.file ?? '', /draft\.tex$/, 'the draft keeps the keyboard');
  });

  it('by palette, broaden and specify', async () => {
    const { workbench } = editor();
    const panel = new Panel(workbench);
    const answers: string[] = [];
    for (const label of ['Broaden', 'Specify'] as const) {
      await move(editor(), label, 'draft.tex', FLUENT.part);
      await panel.answered(label, FLUENT.whole);
      answers.push((await panel.sentences()).join('\n'));
    }
    assert.notEqual(answers[0], answers[1], 'the moves differ');
  });

  it('by keys', async () => {
    const { workbench, bridge } = editor();
    const panel = new Panel(workbench);
    for (const [key, label] of [
      ['a', 'Address'],
      ['b', 'Broaden'],
      ['s', 'Specify'],
    ] as const) {
      await bridge.placeCursor('draft.tex', 'Annotators disagree');
      await workbench.page.keyboard.press('Control+Alt+R');
      await workbench.page.keyboard.press(key);
      await panel.answered(label, 'Annotators disagree about which questions are ambiguous');
    }
  });

  it('by the context menu', async () => {
    const { workbench, bridge } = editor();
    const panel = new Panel(workbench);
    const item = (label: string) =>
      workbench.page.locator('.monaco-menu .action-item:visible', { hasText: label }).last();
    for (const label of ['Address', 'Broaden', 'Specify'] as const) {
      await bridge.placeCursor('draft.tex', 'A model should know');
      await workbench.page.keyboard.press('Shift+F10');
      await item('Ratio').hover();
      await item(label).hover();
      // A menu takes no click in its first moments.
      await workbench.page.waitForTimeout(300);
      await item(label).click();
      await panel.answered(label, 'A model should know when it does not know.');
    }
  });

  it('take what is selected, and its sentences', async () => {
    const { workbench, bridge } = editor();
    const panel = new Panel(workbench);
    const part = 'models still overlook passages that stand in the middle of a long context';
    await bridge.selectText('draft.tex', part);
    await workbench.runCommand('Ratio: Address');
    await panel.answered('Address', part);
    assert.equal(await panel.takenText(), part);
    const two =
      'A model should know when it does not know.\nUncertainty estimates that are calibrated';
    await bridge.selectText('draft.tex', two);
    await workbench.runCommand('Ratio: Address');
    await panel.answered('Address', two.replace('\n', ' '));
  });

  it('say so where there is no prose', async () => {
    const { workbench, bridge } = editor();
    const panel = new Panel(workbench);
    for (const text of [FIGURE, FORMULA]) {
      // A selection spans lines: it is set by its ends.
      const document = await bridge.document('bare.tex');
      const lines = (end: number) => {
        const before = document.text.slice(0, end).split('\n');
        return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
      };
      const at = document.text.indexOf(text);
      await bridge.selectRange('bare.tex', lines(at), lines(at + text.length));
      await workbench.runCommand('Ratio: Address');
      const message = await panel.message('No prose taken');
      assert.match(await message.innerText(), /Select prose, or put the cursor in a sentence/);
      assert.equal(await panel.cards.count(), 0);
      if (text === FIGURE) await workbench.screenshot('no-prose');
    }
  });

  it('work in .qmd and .Rmd files that have no language of their own', async () => {
    const { workbench, bridge } = editor();
    const panel = new Panel(workbench);
    for (const [file, part, text] of [
      ['study.qmd', 'rarely agree', FILES['study.qmd'].split('\n').at(-2)],
      ['report.Rmd', 'miss documents', FILES['report.Rmd'].split('\n').at(-2)],
    ] as const) {
      assert.ok(text);
      await workbench.openFile(file);
      const { language } = await bridge.document(file);
      assert.ok(!/quarto|rmd/.test(language), `${file} is ${language}: this shows nothing`);
      await move(editor(), 'Address', file, part);
      await panel.answered('Address', text);
    }
  });

  it('are offered only in drafts, and say what to do elsewhere', async () => {
    const { workbench, bridge } = editor();
    await workbench.openFile('plan.txt');
    const rows = await workbench.paletteRows('Ratio: Address');
    assert.ok(!rows.some((row) => row.startsWith('Ratio: Address')), rows.join(', '));
    await bridge.execute('ratio.address');
    const toast = await workbench.toast('open a LaTeX or Markdown draft');
    assert.match(await toast.innerText(), /put the cursor in the sentence/);
    await workbench.clearToasts();
    await bridge.execute('workbench.action.closeAllEditors');
    await bridge.execute('ratio.specify');
    await workbench.toast('open a LaTeX or Markdown draft');
    await workbench.clearToasts();
  });

  it('answer in the editor beside the draft once that is open', async () => {
    const { workbench, bridge } = editor();
    await workbench.openFile('draft.tex');
    await bridge.execute('workbench.action.closeSidebar');
    await workbench.runCommand('Ratio: Show Panel Beside the Editor');
    const beside = new Panel(workbench);
    await beside.frame.locator('body.in-editor main.content').waitFor();
    await move(editor(), 'Broaden', 'draft.tex', TUNING.part);
    await beside.answered('Broaden', TUNING.whole);
    assert.equal(await beside.current.count(), 20);
    assert.equal(await workbench.page.locator('.part.sidebar:visible').count(), 0);
    await workbench.screenshot('move-beside');
    // Closed, the view answers again.
    await bridge.execute('workbench.action.focusSecondEditorGroup');
    await bridge.execute('workbench.action.closeEditorsInGroup');
    await workbench.page.locator('.tab', { hasText: 'Ratio' }).waitFor({ state: 'hidden' });
    await move(editor(), 'Address', 'draft.tex', FLUENT.part);
    await new Panel(workbench).answered('Address', FLUENT.whole);
  });

  it('look right in every theme and in a narrow panel', async () => {
    const { workbench, bridge, setTheme } = editor();
    const panel = new Panel(workbench);
    await workbench.openFile('draft.tex');
    await bridge.setConfiguration('editor.wordWrap', 'on');
    const { page } = workbench;
    const sash = async (to: number) => {
      const edge = await page.locator('.part.sidebar').boundingBox();
      assert.ok(edge, 'the side bar is shown');
      await page.mouse.move(edge.x + edge.width, edge.y + 300);
      await page.mouse.down();
      await page.mouse.move(to, edge.y + 300, { steps: 5 });
      await page.mouse.up();
      await page.mouse.move(1000, 760);
    };
    await sash(480);
    const asked =
      'Assistants built on language models answer even when a question cannot be answered as it stands.';
    await move(editor(), 'Address', 'draft.tex', 'Assistants built');
    await panel.answered('Address', asked);
    await statusIs(workbench, /ready/, FIRST_ANSWER_MS);
    for (const theme of ['light', 'high-contrast', 'high-contrast-light', 'dark'] as const) {
      await setTheme(theme);
      await workbench.screenshot(`move-${theme}`);
    }
    await sash(238);
    const parts = panel.frame.locator('body, .bar, article.card, article.card .actions');
    const widths = await until(
      'the panel is narrow',
      () => parts.evaluateAll((all) => all.map((each) => [each.scrollWidth, each.clientWidth])),
      ([body]) => (body?.[1] ?? Infinity) < 240,
    );
    await workbench.screenshot('move-narrow');
    for (const [content = Infinity, seen = 0] of widths) {
      assert.ok(content <= seen + 1, `${content} pixels stick out of ${seen}`);
    }
  });
});
