import assert from 'node:assert/strict';
import { useEditor } from '../host/session';
import { join } from 'node:path';

const ID = 'ratio-research.ratio';

describe('a move in the example draft', () => {
  const editor = useEditor({ workspace: join(__dirname, '..', '..', '..', 'examples') });

  it('shows cited inspirations in the panel', async function () {
    this.timeout(90_000);
    const { workbench, bridge } = editor();
    await workbench.openFile('draft.tex');
    await bridge.placeCursor('draft.tex', 'reward models favour');
    await workbench.runCommand('Ratio: Address');
    const panel = workbench.webview(ID);
    await panel.locator('article, [role=article], li').first().waitFor({ timeout: 60_000 });
    await workbench.screenshot('move-dark');
    assert.ok((await panel.locator('article, [role=article], li').count()) > 3);
  });
});
