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
      ["cannot read '/home/jane/Smith, John/library.bib'.", "cannot read '<path>'."],
      ['/home/jane/Smith, John/library.bib is damaged', '<path> is damaged'],
      [
        "C:\\Users\\O'Neil\\AppData\\Local\\ratio\\Data\\pools\\pool 1\\pool.db is locked",
        '<path> is locked',
      ],
      ["open 'C:\\Users\\O'Neil\\pools\\pool 1\\pool.db' failed", "open '<path>' failed"],
      ["open '/home/ada/my students' theses/a.tex', see b", "open '<path>', see b"],
      ["rename '/home/ada/a, b' -> '/srv/c (d)'", "rename '<path>' -> '<path>'"],
      ['/home/jane/PhD (2024)/x.bib: no such file', '<path>: no such file'],
      ['/home/jane/PhD (2024)/x, [final].bib', '<path>'],
      ['/home/jane/Notes: 2024/x.bib', '<path>'],
      ['/srv/a.onnx: see https://example.org/help', '<path>: see https://example.org/help'],
      ['/srv/a (3.5 MB of 12.5)', '<path> (3.5 MB of 12.5)'],
    ] as const) {
      assert.equal(redact(text, []), expected ?? text);
    }
  });

  it('has no folder that is known to be on this machine, whatever its name holds', () => {
    const roots = ['/', '/home/ada “x” <y>', 'C:\\Data | mine\\', '/home/ada “x” <y>/Ratio: *'];
    for (const [text, expected] of [
      ['/home/ada “x” <y>/pools/a.db is locked', '<path> is locked'],
      ['open “/home/ada “x” <y>/Ratio: */pools/a.db”', 'open “<path>”'],
      ['It is in /home/ada “x” <y>', 'It is in <path>'],
      ['c:\\data | mine\\pools\\a.db is locked', '<path> is locked'],
      ['c:/Data | mine/pools: 3 / 4', '<path>: 3 / 4'],
      ['and/or', null],
    ] as const) {
      assert.equal(redact(text, [], roots), expected ?? text);
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
