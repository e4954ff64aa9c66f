import assert from 'node:assert/strict';
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RatioError } from '../../../server/engine/engine';
import { isDevice } from '../../../server/engine/devices';
import { Encoder } from '../../../server/engine/encoder/encoder';
import { readConfig } from '../../../server/engine/encoder/modelFiles';
import { EncoderSession } from '../../../server/engine/encoder/session';
import { packageRoot } from '../../../server/paths';
import { cosine, SENTENCES } from './texts';

const modelDir = join(packageRoot(), 'models', 'encoder');
/** Largest distance (1 - cosine) between a sentence alone and in a batch: only float rounding. */
const BATCH_BOUND = 1e-5;

describe('encoder', function () {
  this.timeout(120_000);
  let encoder: Encoder;
  before(async () => {
    encoder = await Encoder.create({ modelDir, device: 'cpu' });
  });
  after(() => encoder.close());

  it('makes unit vectors of the stated size', async () => {
    assert.equal(encoder.dimensions, 384);
    for (const vector of await encoder.encode(['One sentence.', '', '\uD800'])) {
      assert.equal(vector.length, 384);
      assert.ok(Math.abs(cosine(vector, vector) - 1) < 1e-5);
    }
    assert.deepEqual(await encoder.encode([]), []);
  });

  it('puts sentences of like meaning together', async () => {
    const [query, near, far] = await encoder.encode([
      'Annotated corpora are missing for most languages.',
      'Few languages have labelled training data.',
      'The bridge vibrates at four hertz in strong wind.',
    ]);
    const gap = cosine(query, near) - cosine(query, far);
    assert.ok(gap > 0.3, `${gap}`);
  });

  it('gives a sentence the same vector alone and in any batch', async () => {
    const together = await encoder.encode(SENTENCES);
    const small = await encoder.encode(SENTENCES, { batchSize: 3 });
    let worst = 0;
    for (const [i, text] of SENTENCES.entries()) {
      const alone = await encoder.encodeOne(text);
      worst = Math.max(worst, 1 - cosine(alone, together[i]), 1 - cosine(alone, small[i]));
    }
    assert.ok(worst < BATCH_BOUND, `1 - cosine is up to ${worst}`);
  });

  it('answers a single text while a long list is encoded', async () => {
    let listDone = false;
    const list = encoder.encode(SENTENCES).then((vectors) => {
      listDone = true;
      return vectors;
    });
    for (let i = 0; i < 5; i++) await encoder.encodeOne('Between two runs.');
    assert.equal(listDone, false);
    assert.equal((await list).length, SENTENCES.length);
  });

  it('stops when it is told to', async () => {
    const controller = new AbortController();
    const list = encoder.encode(SENTENCES, { signal: controller.signal });
    setTimeout(() => controller.abort(), 30);
    await assert.rejects(list, (error: unknown) => {
      return error instanceof RatioError && error.code === 'cancelled';
    });
    assert.equal((await encoder.encode(['Still there.'])).length, 1);
  });

  it('says so after it was closed', async () => {
    const other = await Encoder.create({ modelDir, device: 'cpu', threads: 1 });
    await other.close();
    await other.close();
    await assert.rejects(other.encodeOne('late'), /closed/);
  });

  it('falls back to the CPU where this build lacks the provider', async () => {
    const absent = process.platform === 'win32' ? 'coreml' : 'dml';
    const other = await Encoder.create({ modelDir, device: absent });
    assert.equal(other.device.requested, absent);
    assert.equal(other.device.active, 'cpu');
    assert.match(
      other.device.reason ?? '',
      new RegExp(`${absent} could not be used: .*no ${absent}`),
    );
    assert.equal(
      cosine(await other.encodeOne('x y'), await encoder.encodeOne('x y')) > 0.99999,
      true,
    );
    await other.close();
  });

  it('goes on on the CPU when a device fails in the middle', async () => {
    const load = EncoderSession.load;
    const device = await load(modelDir, await readConfig(modelDir), 'cpu', 1);
    let runs = 0;
    let closed = 0;
    const failing = {
      provider: 'webgpu',
      dimensions: 384,
      run: (rows: number[][]) =>
        ++runs > 3 ? Promise.reject(new Error('device lost\nat driver')) : device.run(rows),
      close: () => Promise.resolve(void closed++),
    } as unknown as EncoderSession;
    EncoderSession.load = (folder, config, provider, threads) =>
      provider === 'webgpu' ? Promise.resolve(failing) : load(folder, config, provider, threads);
    try {
      const other = await Encoder.create({ modelDir, device: 'webgpu' });
      assert.deepEqual(other.device, { requested: 'webgpu', active: 'webgpu', reason: null });
      const some = SENTENCES.slice(0, 60);
      const vectors = await other.encode(some, { batchSize: 10 });
      const expected = await encoder.encode(some);
      assert.equal(vectors.length, some.length);
      assert.ok(vectors.every((vector, i) => cosine(vector, expected[i]) > 0.99999));
      assert.equal(runs, 4, 'the failed batch is not tried on the device again');
      assert.equal(closed, 1);
      assert.deepEqual(other.device, {
        requested: 'webgpu',
        active: 'cpu',
        reason: 'webgpu failed while it was in use: device lost',
      });
      await other.close();
    } finally {
      EncoderSession.load = load;
      await device.close();
    }
  });

  it('knows the names of devices', () => {
    assert.ok(isDevice('auto') && isDevice('webgpu'));
    assert.ok(!isDevice('gpu') && !isDevice(''));
  });

  describe('with damaged files', () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'ratio-encoder-'));
      for (const name of ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'model.onnx']) {
        copyFileSync(join(modelDir, name), join(folder, name));
      }
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    const fails = (code: string, what: RegExp): Promise<void> =>
      assert.rejects(Encoder.create({ modelDir: folder, device: 'cpu' }), (error: unknown) => {
        assert.ok(error instanceof RatioError, String(error));
        assert.equal(error.code, code);
        assert.match(error.message, what);
        assert.ok(error.message.includes(folder), 'says where');
        assert.match(error.message, /Install Ratio again/, 'says what to do');
        return true;
      });

    for (const name of ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'model.onnx']) {
      it(`says that ${name} is missing`, async () => {
        rmSync(join(folder, name));
        await fails('model-missing', new RegExp(`${name} is missing`));
      });
    }

    it('says that the folder is missing', async () => {
      rmSync(folder, { recursive: true });
      await fails('model-missing', /is missing/);
    });

    it('sees a model that was cut short', async () => {
      truncateSync(join(folder, 'model.onnx'), 1_000_000);
      await fails('model-broken', /has 1000000 bytes instead of \d+/);
    });

    it('sees a single flipped bit', async () => {
      const path = join(folder, 'model.onnx');
      const bytes = readFileSync(path);
      bytes.writeUInt8(bytes.readUInt8(5_000_000) ^ 1, 5_000_000);
      writeFileSync(path, bytes);
      await fails('model-broken', /hash differs/);
    });

    it('sees a file that is no model though the config names it', async () => {
      const text = Buffer.from('no model');
      const { createHash } = await import('node:crypto');
      const config = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));
      config.files['model.onnx'] = {
        bytes: text.length,
        sha256: createHash('sha256').update(text).digest('hex'),
      };
      writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
      writeFileSync(join(folder, 'model.onnx'), text);
      await fails('model-broken', /cannot be read/);
    });

    it('sees files that are no JSON, or other JSON', async () => {
      writeFileSync(join(folder, 'tokenizer.json'), '{');
      await fails('model-broken', /not JSON/);
      writeFileSync(join(folder, 'tokenizer.json'), '{}');
      await fails('model-broken', /tokenizer\.json/);
      writeFileSync(join(folder, 'config.json'), '{"id": ""}');
      await fails('model-broken', /does not describe an encoder/);
    });
  });
});
