import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { DEVICES } from '../../../server/engine/devices';
import { serverSettingsSchema } from '../../../server/protocol';
import { readSettings } from '../../../server/settings';

describe('settings as the server takes them', () => {
  it('ignores one that cannot be used, names it, and keeps the others', () => {
    const { settings, problems } = readSettings({ device: 'gpu', perPaper: 3, pools: 'all' });
    assert.equal(settings.device, 'auto');
    assert.equal(settings.perPaper, 3);
    assert.deepEqual(settings.pools, []);
    assert.equal(problems.length, 2);
    assert.match(problems.join('\n'), /“ratio\.pools”[^]*“ratio\.engine\.device”/);
  });

  it('names every setting as the user knows it', () => {
    const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      contributes: { configuration: { properties: object }[] };
    };
    const contributed = contributes.configuration.flatMap((group) => Object.keys(group.properties));
    const wrong = Object.keys(serverSettingsSchema.shape).map((name) => [name, Symbol('wrong')]);
    const { problems } = readSettings(Object.fromEntries(wrong));
    const named = problems.map((problem) => /“([\w.]+)”/.exec(problem)?.[1] ?? problem);
    assert.equal(named.length, wrong.length);
    for (const name of named) assert.ok(contributed.includes(name), name);
  });

  it('offers every device that the engine knows', () => {
    const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      contributes: { configuration: { properties: Record<string, { enum?: string[] }> }[] };
    };
    const offered = contributes.configuration.flatMap(
      ({ properties }) => properties['ratio.engine.device']?.enum ?? [],
    );
    assert.deepEqual(offered, [...DEVICES]);
  });

  it('takes the defaults for what is no object', () => {
    for (const raw of [42, 'x', [1]]) {
      assert.equal(readSettings(raw).settings.device, 'auto');
    }
    for (const raw of [null, undefined, {}]) {
      assert.deepEqual(readSettings(raw).problems, []);
    }
    assert.equal(readSettings(42).problems.length, 1);
  });

  it('takes full paths of folders only', () => {
    const home = resolve('somewhere');
    assert.equal(readSettings({ home }).settings.home, home);
    for (const wrong of ['relative/folder', `${home}\0`]) {
      const { settings, problems } = readSettings({ home: wrong });
      assert.equal(settings.home, null);
      assert.match(problems.join(), /“ratio\.dataFolder” is ignored/);
    }
  });
});
