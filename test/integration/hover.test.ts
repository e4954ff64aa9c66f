/** Hovers follow the pools, whoever writes to them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hover } from 'vscode-languageserver-protocol/node';
import { EngineClient } from '../../server/engine/process/client';
import { packageRoot } from '../../server/paths';
import { modelFolder } from './engineSupport';
import { LanguageClient, rangeOf } from './languageClient';

const DRAFT =
  'However, existing reward models suffer from a bias towards long answers and fail to reward brevity.\n';

describe('hovers while another process imports', function () {
  this.timeout(60_000);
  let client: LanguageClient;
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ratio-hover-'));
    client = await LanguageClient.start();
  });
  after(async () => {
    await client.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('show what it has stored', async () => {
    const uri = await client.open(join(folder, 'draft.md'), DRAFT, 'markdown');
    const hover = async (): Promise<string> => {
      const position = rangeOf(DRAFT, 'suffer from').start;
      const shown = (await client.request('textDocument/hover', {
        ...{ textDocument: { uri }, position },
      })) as Hover | null;
      return (shown?.contents as { value: string } | undefined)?.value ?? '';
    };
    const answer = 'We propose reward models without a bias towards long answers';
    const first = await hover();
    assert.notEqual(first, '');
    assert.ok(!first.includes(answer));
    assert.equal(await hover(), first);
    const path = join(folder, 'papers.jsonl');
    const paper = { id: 'p', title: 'Brevity', date: '2024', sentences: [{ text: `${answer}.` }] };
    writeFileSync(path, `${JSON.stringify(paper)}\n`);
    const other = new EngineClient({
      entry: join(packageRoot(), 'dist', 'engine.js'),
      home: client.home,
      modelDir: modelFolder(),
      device: 'cpu',
    });
    try {
      assert.equal((await other.addToPool({ pool: 'other', sources: [path] })).stored, 1);
    } finally {
      await other.close();
    }
    assert.ok((await hover()).includes(answer));
  });
});
