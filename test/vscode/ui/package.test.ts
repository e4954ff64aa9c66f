import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { repository } from '../host/paths';
import { useEditor } from '../host/session';
import { EXAMPLES, move, Panel, TUNING } from './support';

const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  version: string;
};
const vsix = join(repository, 'out', `ratio-${version}-${process.platform}-${process.arch}.vsix`);
const MOST_BYTES = 90e6;

/** What may stand in a package, beside the native modules' own folders. */
const ALLOWED = [
  /^(package\.json|README\.md|readme\.md|LICENSE|LICENSE\.txt|CHANGELOG\.md|changelog\.md|\.vsixmanifest)$/,
  /^dist\/[\w-]+\.(js|css|ttf)$/,
  /^media\//,
  /^models\/[\w-]+\/[^/]+$/,
  /^docs\/[\w-]+\.(md|png)$/,
  /^node_modules\/(onnxruntime-(node|common)|hnswlib-node|bindings|file-uri-to-path|libsql|@libsql|@neon-rs|detect-libc)\//,
];
const STRAY = /\.(ts|mts|cts|map|tsbuildinfo|cc|cpp|h|gyp)$|\/(tests?|src|examples?|\.github)\//;

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}

describe('the package', function () {
  this.timeout(180_000);

  before('make it', function () {
    this.timeout(180_000);
    execFileSync(process.execPath, [join(repository, 'scripts', 'package.mjs')], {
      cwd: repository,
      stdio: 'pipe',
    });
  });

  const editor = useEditor({
    workspace: EXAMPLES,
    extension: 'installed',
    vsix,
    withoutNode: true,
  });

  it('is small enough', () => {
    assert.ok(statSync(vsix).size <= MOST_BYTES, `${statSync(vsix).size / 1e6} MB`);
  });

  it('holds what it needs and nothing else', () => {
    const extensions = join(editor().server.folder, 'ext');
    const name = readdirSync(extensions).find((entry) => entry.startsWith('ratio-research.ratio'));
    assert.ok(name, readdirSync(extensions).join(', '));
    const files = filesOf(join(extensions, name));
    const stray = files.filter(
      (file) => STRAY.test(file) || !ALLOWED.some((pattern) => pattern.test(file)),
    );
    assert.deepEqual(stray, []);
    for (const file of [
      'dist/extension.js',
      'dist/engine.js',
      'media/starter-pool.jsonl',
      'models/encoder/model.onnx',
    ]) {
      assert.ok(files.includes(file), file);
    }
    assert.ok(!existsSync(join(extensions, name, 'server')));
  });

  it('answers in an editor with no repository beside it', async () => {
    const { workbench, bridge, server } = editor();
    await workbench.openFile('draft.tex');
    await move(editor(), 'Address', 'draft.tex', TUNING.part);
    await new Panel(workbench).answered('Address', TUNING.whole);
    assert.equal((await bridge.extension('ratio-research.ratio'))?.version, version);
    const command = server.find(/dist[\\/]engine\.js/)[0]?.command ?? '';
    assert.ok(command.includes(join(server.folder, 'ext')), `the installed one runs: ${command}`);
  });
});
