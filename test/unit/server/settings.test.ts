import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { readSettings } from '../../../server/settings';

describe('settings as the server takes them', () => {
  it('ignores one that cannot be used, names it, and keeps the others', () => {
    const { settings, problems } = readSettings({ device: 'gpu', perPaper: 3, pools: 'all' });
    assert.equal(settings.device, 'auto');
    assert.equal(settings.perPaper, 3);
    assert.deepEqual(settings.pools, []);
    assert.equal(problems.length, 2);
    assert.match(problems.join('\n'), /“pools”[^]*“device”|“device”[^]*“pools”/);
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
      assert.match(problems.join(), /“home” is ignored/);
    }
  });
});
