import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { useEditor } from '../host/session';
import { EXAMPLES, move, Panel, statusIs, until } from './support';

const SENTENCE = 'Glass frogs keep red blood cells in their liver while they sleep.';
const LIBRARY = `@article{moss2020glass,
  author   = {Moss, Ira and Quill, Tom},
  title    = {Sleeping Frogs Turn to Glass},
  journal  = {Annals of Invented Zoology},
  year     = {2020},
  abstract = {Frogs are hard to see while they sleep. Glass frogs become transparent by packing blood cells into the liver. We image sleeping frogs with light and sound.}
}

@article{broken2021,
  title = {This Entry Never Ends,
  year  = {2021

@book{reed2018ponds,
  author = {Reed, Una},
  title  = {Ponds and Their Amphibians},
  publisher = {Marsh Press},
  year   = {2018}
}
`;

describe('pools', function () {
  this.timeout(120_000);
  const editor = useEditor({
    workspace: EXAMPLES,
    files: { 'library.bib': LIBRARY, 'frogs.md': `${SENTENCE}\n` },
  });

  const rows = () => editor().workbench.page.locator('.quick-input-list .monaco-list-row');
  const settings = () => {
    const file = join(editor().workspace, '.vscode', 'settings.json');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };

  it('take a .bib and report what could not be read', async () => {
    const { workbench, workspace } = editor();
    await workbench.openFile('frogs.md');
    await statusIs(workbench, /ready/);
    await workbench.runCommand('Ratio: Add to Pool…');
    // With no pool of one's own, the first question is the name of a new one.
    await workbench.page
      .locator('.quick-input-title', { hasText: 'name of the new pool' })
      .waitFor();
    await workbench.type('no spaces please');
    await workbench.page.locator('.quick-input-message', { hasText: '1 to 64 letters' }).waitFor();
    await workbench.type('zoology');
    await rows().filter({ hasText: 'A folder' }).waitFor();
    await workbench.screenshot('pool-add-kind');
    await workbench.pick('Files…');
    await workbench.page.locator('.quick-input-title', { hasText: 'Add to the pool' }).waitFor();
    // Once the folder is listed: before that, the dialog overwrites what is typed.
    await rows().filter({ hasText: 'library.bib' }).waitFor();
    await workbench.type(join(workspace, 'library.bib'));
    const toast = await workbench.toast('“zoology”: 3 papers stored', 60_000);
    const text = await toast.innerText();
    assert.match(text, /2 by their title alone/);
    assert.match(text, /1 problem was found/);
    // It is still fading in.
    await workbench.page.waitForTimeout(500);
    await workbench.screenshot('pool-added');
    await toast.locator('.monaco-button', { hasText: 'Show Details' }).click();
    const details = workbench.page.locator('.view-line', { hasText: 'broken2021' });
    assert.match(await details.first().innerText(), /library\.bib:9:.*never.closed/);
    assert.equal(
      await workbench.page.locator('.tab.active .label-name').first().innerText(),
      'Import problems of zoology.txt',
    );
    await workbench.screenshot('pool-problems');
    await workbench.runCommand('View: Revert and Close Editor');
  });

  it('answer at once', async () => {
    const { workbench } = editor();
    const panel = new Panel(workbench);
    await workbench.openFile('frogs.md');
    await move(editor(), 'Address', 'frogs.md', 'Glass frogs');
    await panel.answered('Address', SENTENCE);
    const card = panel.cards.filter({ hasText: 'Sleeping Frogs Turn to Glass' }).first();
    assert.match(await card.locator('.origins').innerText(), /zoology/);
    await statusIs(workbench, /ready/);
  });

  it('are chosen for the workspace, and the panel follows', async () => {
    const { workbench } = editor();
    const panel = new Panel(workbench);
    await workbench.runCommand('Ratio: Choose Pools…');
    const starter = rows().filter({ hasText: 'starter' });
    await starter.waitFor();
    await workbench.screenshot('pools-choose');
    await starter.locator('.monaco-checkbox, input[type=checkbox]').first().click();
    await workbench.page.locator('.quick-input-action .monaco-button', { hasText: 'OK' }).click();
    await until('the setting', settings, (text) =>
      /"ratio\.pools":\s*\[\s*"zoology"\s*\]/.test(text),
    );
    await until(
      'pools of the cards',
      () => panel.cards.locator('.pool').allInnerTexts(),
      (pools) => pools.length > 0 && pools.every((pool) => pool.trim() === 'zoology'),
    );
    await panel.answered('Address', SENTENCE);
  });

  it('are removed, from the workspace’s choice too', async () => {
    const { workbench, server } = editor();
    assert.ok(existsSync(join(server.ratioHome, 'pools', 'zoology')), 'where a pool lies');
    await workbench.runCommand('Ratio: Manage Pools…');
    await workbench.pick('zoology');
    await rows().filter({ hasText: 'Update' }).waitFor();
    await workbench.screenshot('pool-manage');
    await workbench.pick('Remove');
    const dialog = workbench.page.locator('.monaco-dialog-box');
    assert.match(
      await dialog.innerText(),
      /Remove the pool “zoology”\? Its sources are left alone/,
    );
    await dialog.locator('.monaco-button', { hasText: 'Remove' }).click();
    await until(
      'the folder',
      () => existsSync(join(server.ratioHome, 'pools', 'zoology')),
      (there) => !there,
    );
    await until('the setting', settings, (text) => !text.includes('zoology'));
    const panel = new Panel(workbench);
    await until(
      'the panel',
      () => panel.text(),
      (text) => !/zoology/.test(text),
    );
  });
});
