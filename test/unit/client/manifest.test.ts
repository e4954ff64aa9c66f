import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../server/paths';

interface Manifest {
  contributes: {
    commands: { command: string }[];
    keybindings: { command: string }[];
    menus: Record<string, { command?: string }[]>;
    configuration: {
      title: string;
      properties: Record<
        string,
        {
          type?: string;
          default?: unknown;
          description?: string;
          markdownDescription?: string;
          scope?: string;
        }
      >;
    }[];
  };
  capabilities: { untrustedWorkspaces: { supported: string; restrictedConfigurations: string[] } };
}

const read = (path: string): string => readFileSync(join(packageRoot(), path), 'utf8');

describe('package.json', () => {
  const manifest = JSON.parse(read('package.json')) as Manifest;
  const commands = manifest.contributes.commands.map(({ command }) => command).sort();

  it('promises exactly the commands that the extension registers and runs', () => {
    const entry = read('client/extension.ts');
    const registered = [
      ...(/const COMMANDS = \[([^\]]*)\]/.exec(entry)?.[1] ?? '').matchAll(/'(\w+)'/g),
    ].map((match) => `ratio.${match[1] ?? ''}`);
    assert.deepEqual(registered.sort(), commands);
    const wiring =
      /this\.commands = \{([\s\S]*?)\n {4}\};/.exec(read('client/ratio.ts'))?.[1] ?? '';
    const run = [...wiring.matchAll(/^ {6}(\w+):/gm)].map((match) => `ratio.${match[1] ?? ''}`);
    assert.deepEqual(run.sort(), commands);
  });

  it('binds keys and menus to commands that exist', () => {
    const { keybindings, menus } = manifest.contributes;
    const used = [...keybindings, ...Object.values(menus).flat()].flatMap(
      ({ command }) => command ?? [],
    );
    for (const command of used) assert.ok(commands.includes(command), command);
  });

  it('describes and scopes every setting', () => {
    for (const { title, properties } of manifest.contributes.configuration) {
      assert.ok(title);
      for (const [name, setting] of Object.entries(properties)) {
        assert.ok(setting.description ?? setting.markdownDescription, name);
        assert.ok(setting.scope, name);
      }
    }
  });

  it('reads in client/settings.ts only settings that it contributes, with their defaults', () => {
    const properties = Object.assign(
      {},
      ...manifest.contributes.configuration.map((group) => group.properties),
    ) as Record<string, { default?: unknown }>;
    const reads = [...read('client/settings.ts').matchAll(/get<[^(]+>\('([\w.]+)',\s*([^)]+?)\)/g)];
    assert.ok(reads.length > 8);
    for (const [, name = '', value = ''] of reads) {
      const setting = properties[`ratio.${name}`];
      assert.ok(setting, name);
      assert.deepEqual(setting.default, JSON.parse(value.replaceAll("'", '"')), name);
    }
  });

  it('keeps what runs and where it is stored out of an untrusted workspace’s hands', () => {
    const { supported, restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    assert.equal(supported, 'limited');
    for (const name of ['ratio.engine.device', 'ratio.engine.encoderPath', 'ratio.dataFolder']) {
      assert.ok(restrictedConfigurations.includes(name), name);
    }
  });
});
