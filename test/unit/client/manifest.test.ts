import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../server/paths';

interface Manifest {
  contributes: {
    commands: { command: string }[];
    keybindings: { command: string; when?: string }[];
    menus: Record<string, { command?: string; when?: string }[]>;
    walkthroughs: { steps: { id: string; completionEvents: string[] }[] }[];
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

  it('goes by context keys that the client sets, a step of the walkthrough by what came of it', () => {
    const kinds = /type Context = ([^;]+);/.exec(read('client/contexts.ts'))?.[1] ?? '';
    const known = [...kinds.matchAll(/'(\w+)'/g)].map(([, name]) => name);
    const { keybindings, menus, walkthroughs } = manifest.contributes;
    const conditions = [...keybindings, ...Object.values(menus).flat()].flatMap(
      ({ when }) => when ?? [],
    );
    const steps = walkthroughs.flatMap((walkthrough) => walkthrough.steps);
    for (const { id, completionEvents } of steps) {
      assert.ok(
        completionEvents.every((event) => /^onContext:ratio\.\w+$/.test(event)),
        id,
      );
      conditions.push(...completionEvents.map((event) => event.slice('onContext:'.length)));
    }
    const used = conditions.flatMap((text) =>
      [...text.matchAll(/\bratio\.(\w+)/g)].map(([, name]) => name),
    );
    assert.ok(used.length > 4);
    const views = ['panel', 'problems'];
    for (const name of used.filter((each) => !views.includes(each ?? ''))) {
      assert.ok(known.includes(name), name);
    }
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
