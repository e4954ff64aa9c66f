import assert from 'node:assert/strict';
import { useEditor } from '../host/session';
import { waitUntil } from '../host/processes';

const ID = 'ratio-research.ratio';
const TITLES = ['Ratio: Address', 'Ratio: Broaden', 'Ratio: Specify', 'Ratio: Show Panel'];

for (const file of ['draft.tex', 'notes.md']) {
  describe(`the window with ${file}`, () => {
    const editor = useEditor();

    it('activates the extension when the file is opened by hand', async () => {
      const { workbench, bridge } = editor();
      assert.ok(await bridge.extension(ID), `${ID} is not among the extensions`);
      await workbench.openFile(file);
      assert.ok(
        await waitUntil(async () => (await bridge.extension(ID))?.active === true, 20_000),
        `${ID} did not become active`,
      );
    });

    it('offers the moves and the panel in the palette', async () => {
      const { workbench } = editor();
      await workbench.openFile(file);
      const rows = await workbench.paletteRows('Ratio:');
      for (const title of TITLES) {
        assert.ok(
          rows.some((row) => row.startsWith(title)),
          `${title} is not in the palette: ${rows.join(', ')}`,
        );
      }
    });
  });
}
