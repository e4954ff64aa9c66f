/**
 * The encoder on the webgpu provider, for real, on the software adapter (SwiftShader) that Chromium
 * carries, and on a machine without an adapter. Each in a process of its own: loaders and drivers
 * read their environment at start.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Encoder, type DeviceState } from '../../server/engine/encoder/encoder';
import { packageRoot } from '../../server/paths';
import { cosine } from '../unit/encoder/texts';
import { skipBecause } from '../skip';

const CHROMIUM = '/usr/lib/chromium';
const ICD = join(CHROMIUM, 'vk_swiftshader_icd.json');
const modelDir = join(packageRoot(), 'models', 'encoder');
/** Least cosine between the CPU (int8 activations) and a GPU (fp32 activations). */
const DEVICE_BOUND = 0.99;
const TEXTS = ['Few labels.', 'Rivers carry sand.'];

const vulkan = (icd: string): NodeJS.ProcessEnv => ({
  ...process.env,
  VK_DRIVER_FILES: icd,
  VK_ICD_FILENAMES: icd,
  // Chromium's own Vulkan loader, where the system has none.
  LD_LIBRARY_PATH: [process.env['LD_LIBRARY_PATH'], CHROMIUM].filter(Boolean).join(':'),
});

interface Output {
  before: DeviceState;
  after: DeviceState;
  vectors: number[][];
}

async function onDevice(device: string, environment: NodeJS.ProcessEnv): Promise<Output> {
  const program = join(packageRoot(), 'test', 'integration', 'encoderOnDevice.ts');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--require', 'tsx/cjs', program, device, JSON.stringify(TEXTS)],
    { cwd: packageRoot(), env: environment, maxBuffer: 2 ** 24 },
  );
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Output;
}

describe('encoder: devices', function () {
  this.timeout(300_000);
  let home: string;
  let cacheFile: string;
  let cpu: Encoder;
  before(async () => {
    cpu = await Encoder.create({ modelDir, device: 'cpu' });
  });
  after(() => cpu.close());
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'ratio-devices-'));
    cacheFile = join(home, 'made', 'device.json');
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const swiftshader = (test: Mocha.Context): void => {
    if (!existsSync(ICD)) skipBecause(test, `no software adapter at ${ICD}`);
  };
  const closeToCpu = async (vectors: number[][]): Promise<void> => {
    const here = await cpu.encode(TEXTS);
    for (const [i, vector] of vectors.entries()) {
      const near = cosine(here[i], Float32Array.from(vector));
      assert.ok(near >= DEVICE_BOUND, `cosine ${near}`);
    }
  };

  it('gives the CPU’s vectors on webgpu', async function () {
    swiftshader(this);
    const { before, after, vectors } = await onDevice('webgpu', vulkan(ICD));
    assert.deepEqual(before, { requested: 'webgpu', active: 'webgpu', reason: null });
    assert.deepEqual(after, before);
    await closeToCpu(vectors);
  });

  it('falls back to the CPU where there is no adapter', async () => {
    const { after, vectors } = await onDevice('webgpu', vulkan(join(home, 'none.json')));
    assert.equal(after.active, 'cpu');
    assert.match(after.reason ?? '', /^webgpu could not be used: \S/);
    await closeToCpu(vectors);
  });

  it('auto leaves a software adapter alone, and remembers', async function () {
    swiftshader(this);
    const encoder = await Encoder.create({ modelDir, device: 'auto', threads: 1 });
    assert.equal(encoder.device.active, 'cpu');
    const options = {
      cacheFile,
      environment: vulkan(ICD),
      candidates: ['webgpu' as const],
      timeoutMs: 200_000,
    };
    const first = await encoder.probeDevice(options);
    assert.equal(first.active, 'cpu');
    assert.match(first.reason ?? '', /webgpu is no faster: \d+ ms/);
    const start = performance.now();
    assert.deepEqual(await encoder.probeDevice(options), first);
    assert.ok(performance.now() - start < 1000, 'from the cache');
    assert.ok(!existsSync(`${cacheFile}.probing`), 'no marker is left');
    await encoder.close();
  });

  it('auto says why there is no device, and survives a program that dies', async () => {
    const encoder = await Encoder.create({ modelDir, device: 'auto', threads: 1 });
    const none = vulkan(join(home, 'none.json'));
    const state = await encoder.probeDevice({
      cacheFile,
      environment: none,
      candidates: ['webgpu'],
    });
    assert.equal(state.active, 'cpu');
    assert.match(state.reason ?? '', /webgpu could not be used/);
    const other = join(home, 'other.json');
    const killed = await encoder.probeDevice({
      cacheFile: other,
      environment: none,
      candidates: ['webgpu'],
      timeoutMs: 20,
    });
    assert.match(killed.reason ?? '', /ended by SIGKILL/);
    assert.equal((await encoder.encode(TEXTS)).length, 2);
    await encoder.close();
  });

  it('does not try again what ended the process, nor while another process tries', async () => {
    const encoder = await Encoder.create({ modelDir, device: 'auto', threads: 1 });
    const options = {
      cacheFile,
      environment: vulkan(join(home, 'none.json')),
      candidates: ['webgpu' as const],
    };
    await encoder.probeDevice(options);
    const { key } = JSON.parse(readFileSync(cacheFile, 'utf8')) as { key: string };
    const marker = `${cacheFile}.probing`;
    rmSync(cacheFile);
    writeFileSync(marker, JSON.stringify({ pid: process.ppid, key }));
    assert.match((await encoder.probeDevice(options)).reason ?? '', /another process/);
    // No process has so high a number.
    writeFileSync(marker, JSON.stringify({ pid: 2 ** 30, key }));
    assert.match((await encoder.probeDevice(options)).reason ?? '', /not tried again/);
    assert.match((await encoder.probeDevice(options)).reason ?? '', /not tried again/);
    await encoder.close();
  });

  it('takes damage of the cache and a home that cannot be written', async () => {
    const encoder = await Encoder.create({ modelDir, device: 'auto', threads: 1 });
    writeFileSync(join(home, 'device.json'), '{"key": 3');
    const common = { environment: vulkan(join(home, 'none.json')), candidates: [] };
    const state = await encoder.probeDevice({ ...common, cacheFile: join(home, 'device.json') });
    assert.match(state.reason ?? '', /no GPU provider/);
    writeFileSync(join(home, 'file'), '');
    const blocked = join(home, 'file', 'device.json');
    const unsaved = await encoder.probeDevice({ ...common, cacheFile: blocked });
    assert.match(unsaved.reason ?? '', /could not be timed/);
    await encoder.close();
  });
});
