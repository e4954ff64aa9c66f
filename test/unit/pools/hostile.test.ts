import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { RatioError } from '../../../server/engine/engine';
import { readLines, readWhole } from '../../../server/pools/read';

describe('files that are not what they seem', function () {
  this.timeout(60_000);
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ratio-hostile-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are refused where they hold binary data', async () => {
    const path = join(folder, 'notes.md');
    writeFileSync(path, Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 37 + 128) % 256)));
    const read = readWhole(path, () => undefined, new AbortController().signal);
    await assert.rejects(read, (error) => {
      return error instanceof RatioError && /no text but binary data/.test(error.message);
    });
  });

  it('but not for one zero byte in a text', async () => {
    const path = join(folder, 'notes.md');
    writeFileSync(path, 'Zéro \0 byte.');
    const { text } = await readWhole(path, () => undefined, new AbortController().signal);
    assert.match(text, /^Zéro/);
  });

  it('let other work go on while they unpack to nothing', async () => {
    const path = join(folder, 'bomb.jsonl.gz');
    writeFileSync(path, gzipSync(Buffer.alloc(100 << 20, '\n')));
    const started = performance.now();
    gunzipSync(readFileSync(path));
    const whole = performance.now() - started;
    let last = performance.now();
    let pause = 0;
    const turn = (): void => {
      pause = Math.max(pause, performance.now() - last);
      last = performance.now();
    };
    const clock = setInterval(turn, 5);
    const { signal } = new AbortController();
    try {
      for await (const lines of readLines(path, undefined, () => undefined, signal)) {
        assert.equal(lines.length, 0);
      }
    } finally {
      clearInterval(clock);
    }
    turn();
    // Unpacked at one go, nothing else would run for longer than that takes.
    assert.ok(pause < whole, `nothing else ran for ${pause} ms of ${whole} ms`);
  });
});
