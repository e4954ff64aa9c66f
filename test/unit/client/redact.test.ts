import assert from 'node:assert/strict';
import { redact } from '../../../client/redact';

describe('what others are shown of a message', () => {
  it('has no absolute path', () => {
    for (const [text, expected] of [
      [
        "ENOENT: no such file, open '/home/ada/my thesis/a b.tex'",
        "ENOENT: no such file, open '<path>'",
      ],
      ['/home/ada/x.db is locked.', '<path> is locked.'],
      ['It is at ~/Library/Application Support/ratio/pools/mine/pool.db', 'It is at <path>'],
      ['C:\\Users\\Jane Doe\\AppData\\x.onnx: damaged', '<path>: damaged'],
      ['open “\\\\server\\share\\my draft.md”', 'open “<path>”'],
      ['file:///home/ada/a%20b.tex could not be read', '<path> could not be read'],
      ['read (/srv/pools/a), then /srv/b', 'read (<path>), then <path>'],
      ['Both and/or 1/2 of it, see https://example.org/help', null],
      ['models/reranker/local.onnx is damaged.', null],
      ['84 / 2 ms', null],
    ] as const) {
      assert.equal(redact(text, []), expected ?? text);
    }
  });

  it('has numbers for the names of pools, whole names only', () => {
    const pools = ['lib', 'my lib', 'C++ (old)', 'a-1'];
    assert.equal(
      redact(
        'The pool “my lib” needs lib, not calibrated libs or lib-2; C++ (old) does not.',
        pools,
      ),
      'The pool “pool 2” needs pool 1, not calibrated libs or lib-2; pool 3 does not.',
    );
    assert.equal(redact('/data/pools/lib/pool.db: lib', pools), '<path>: pool 1');
    assert.equal(redact('a-1, not a-12', pools), 'pool 4, not a-12');
    assert.equal(redact('nothing', ['']), 'nothing');
  });
});
