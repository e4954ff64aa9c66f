import assert from 'node:assert/strict';
import { preferredCite } from '../../../server/cite/latexCites';
import { texReferences, withoutComments } from '../../../server/cite/texSource';

describe('what comments hide in a LaTeX file', () => {
  const CASES: [string, string, string][] = [
    ['a comment', 'a % b\nc', 'a    \nc'],
    ['an escaped per cent sign', 'a 5\\% b', 'a 5\\% b'],
    ['a comment behind a line break', 'a\\\\% b', 'a\\\\   '],
    ['a backslash at the end of a line', 'a\\\n% b', 'a\\\n   '],
    ['an address', '\\url{x.org/a%20b} \\cite{k}', '\\url{x.org/a%20b} \\cite{k}'],
    ['an address with its text', '\\href{x.org/%7E}{t} c % d', '\\href{x.org/%7E}{t} c    '],
    ['an address in a comment', '% \\url{a%b}', '           '],
    ['a command that only begins like one', '\\urlstyle{a % b}', '\\urlstyle{a     '],
  ];
  for (const [name, source, expected] of CASES) {
    it(name, () => assert.equal(withoutComments(source), expected));
  }

  it('leaves what follows an address on its line', () => {
    const draft = '\\url{https://x.org/a%20b} \\citep{a} \\citep{b}. \\cite{c}';
    assert.equal(
      preferredCite(
        draft,
        () => [],
        () => 'cite',
      ),
      'citep',
    );
    assert.deepEqual(texReferences('\\path{a%b} \\input{c}').inputs, [{ target: 'c', from: '' }]);
  });
});
