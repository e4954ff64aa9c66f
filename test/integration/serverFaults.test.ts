/** The language server among editors that misbehave, and settings that change under its work. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importReportSchema } from '../../server/engine/engine';
import { message, type ServerSettings } from '../../server/protocol';
import { paperRows } from './engineSupport';
import { LanguageClient } from './languageClient';

describe('the language server when things change under it', function () {
  this.timeout(120_000);
  let home: string;
  let client: LanguageClient | null = null;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'ratio-faults-'));
    writeFileSync(join(home, 'starter-removed'), '');
  });
  afterEach(async () => {
    await client?.stop();
    client = null;
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });

  const source = (papers: number): string => {
    const path = join(home, 'papers.jsonl');
    writeFileSync(
      path,
      paperRows(papers, 5)
        .map((row) => `${JSON.stringify(row)}\n`)
        .join(''),
    );
    return path;
  };
  const start = async (settings: Record<string, unknown> = {}): Promise<LanguageClient> =>
    (client = await LanguageClient.start({ home, settings: settings as Partial<ServerSettings> }));
  const add = async (to: LanguageClient, papers: number) => {
    const request = { pool: 'one', sources: [source(papers)] };
    return importReportSchema.parse(
      await to.request(message.addToPool, { request, token: 'import' }),
    );
  };

  it('starts with settings that make no sense, and says which', async () => {
    const shown: string[] = [];
    const server = await start({ device: 'abacus', perPaper: 'many', home: 'not/a/full/path' });
    server.connection.onNotification('window/showMessage', (raw: { message: string }) => {
      shown.push(raw.message);
    });
    await server.connection.sendNotification(message.settings, { device: 'abacus' });
    const report = await add(server, 5);
    assert.equal(report.stored, 5);
    assert.match(shown.join('\n'), /“ratio\.engine\.device” is ignored/);
  });

  it('answers moves, and imports to the end, while the settings change', async () => {
    const server = await start();
    await add(server, 5);
    const importing = add(server, 400);
    const moves = Array.from({ length: 10 }, (_, i) =>
      server.inspire({ move: 'address', text: `A model that lowers noise ${i}.` }),
    );
    for (const idleMinutes of [3, 4]) {
      await server.connection.sendNotification(message.settings, { device: 'cpu', idleMinutes });
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    for (const { result, snapshots } of await Promise.all(moves)) {
      assert.equal(result.kind, 'answer');
      const numbers = snapshots.map(({ snapshot }) => snapshot.sequence);
      assert.deepEqual(
        numbers,
        [...numbers].sort((a, b) => a - b),
      );
    }
    const report = await importing;
    assert.equal(report.cancelled, false);
    assert.equal(report.stored + report.unchanged, 400);
  });

  it('starts no engine after it was told to shut down', async () => {
    const server = await start();
    await add(server, 5);
    await server.connection.sendRequest('shutdown');
    await assert.rejects(
      server.inspire({ move: 'address', text: 'A model that lowers noise.' }),
      /shutting down/,
    );
  });
});
