import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../../server/paths';

const PROGRAM = `
  const { Encoder } = require('./server/engine/encoder/encoder');
  Encoder.create({ modelDir: 'models/encoder', device: 'cpu' })
    .then((encoder) => encoder.encodeOne('A sentence.'))
    .then((vector) => console.log(vector.length));
`;

describe("ONNX Runtime's reports to its maker", function () {
  this.timeout(60_000);

  it('stay off: nothing is kept in the cache folder, and a long command line does not crash', () => {
    const home = mkdtempSync(join(tmpdir(), 'ratio-quiet-'));
    try {
      const { status, signal, stdout, stderr } = spawnSync(
        process.execPath,
        ['--require', 'tsx/cjs', '-e', PROGRAM, 'a'.repeat(100_000)],
        {
          cwd: packageRoot(),
          env: { ...process.env, ORT_DISABLE_TELEMETRY: '', HOME: home, XDG_CACHE_HOME: home },
          encoding: 'utf8',
        },
      );
      assert.equal(signal, null, stderr);
      assert.equal(status, 0, stderr);
      assert.equal(stdout.trim(), '384');
      assert.deepEqual(readdirSync(home), []);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
});
