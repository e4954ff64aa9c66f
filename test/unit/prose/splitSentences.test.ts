import assert from 'node:assert/strict';
import { splitSentences } from '../../../server/prose';

const split = (text: string): string[] =>
  splitSentences(text).map(({ start, end }) => text.slice(start, end));

describe('splitSentences', function () {
  this.timeout(20_000);
  it('splits after a stop, an exclamation mark and a question mark', () => {
    assert.deepEqual(split('It works. Does it? Yes! We are done.'), [
      'It works.',
      'Does it?',
      'Yes!',
      'We are done.',
    ]);
  });

  const whole = [
    'Some tasks, e.g. Parsing, stay hard.',
    'This holds for large models, i.e. Models over 10B.',
    'Smith et al. Introduced the method in 2020.',
    'See Fig. 3 and Eq. 4 in Sec. 2 for details.',
    'The gain is 3.5 points over v1.2.3 of the tool.',
    'The paper by J. R. Smith and K. Lee has the proof.',
    'Work in the U.S. Army was cited.',
    'Dr. Miller and Prof. Kim agree.',
    'It costs approx. 5 dollars vs. 6 dollars.',
    'See https://example.org/a.b?c=d. for that page, cf. Table 2.',
    'We wait ... and then go on.',
    'The model (cf. Appendix B) asks "why?" and goes on.',
    'Use node.js or the .NET runtime.',
    'The results, No. 5 and No. 7, are kept on pp. 3-4.',
    'Models such as gpt-3.5 and Qwen2.5 were run.',
    'The proof is in Sec. III and App. B, by Prop. A.1 and App. A of it.',
    'A sentence that says "stop." in the middle goes on.',
  ];
  for (const text of whole) {
    it(`keeps whole: ${text}`, () => assert.deepEqual(split(text), [text]));
  }

  it('puts closing quotes and brackets with the sentence they close', () => {
    assert.deepEqual(split('He said "it is so." (It was not.) Then we left.'), [
      'He said "it is so."',
      '(It was not.)',
      'Then we left.',
    ]);
    assert.deepEqual(split('They call it “noise.” We do not.'), [
      'They call it “noise.”',
      'We do not.',
    ]);
  });

  it('ends a sentence at an abbreviation when the next word opens one', () => {
    assert.deepEqual(split('We use nouns, verbs, etc. The rest is dropped.'), [
      'We use nouns, verbs, etc.',
      'The rest is dropped.',
    ]);
    assert.deepEqual(split('This was shown by Smith et al. However, it fails.'), [
      'This was shown by Smith et al.',
      'However, it fails.',
    ]);
    assert.deepEqual(split('They live in the U.S. They moved.'), [
      'They live in the U.S.',
      'They moved.',
    ]);
    assert.deepEqual(split('They sell an app. A user has it. It takes 5 sec. I wait.'), [
      'They sell an app.',
      'A user has it.',
      'It takes 5 sec.',
      'I wait.',
    ]);
    assert.deepEqual(split('The model says no. We disagree.'), [
      'The model says no.',
      'We disagree.',
    ]);
  });

  it('splits before digits, quotes, brackets and names with a small first letter', () => {
    assert.deepEqual(
      split('It ended in 2020. 12 labs went on. “Why” is open. iPhone users left.'),
      ['It ended in 2020.', '12 labs went on.', '“Why” is open.', 'iPhone users left.'],
    );
  });

  it('splits at CJK stops without white space', () => {
    assert.deepEqual(split('これは文です。次の文です。'), ['これは文です。', '次の文です。']);
  });

  it('splits at blank lines only, not at line ends', () => {
    assert.deepEqual(split('A title\n\nA line\ngoes on here. Next\r\n\r\nLast'), [
      'A title',
      'A line\ngoes on here.',
      'Next',
      'Last',
    ]);
  });

  it('leaves out nothing but white space', () => {
    const pieces = [
      'Some text',
      'e.g.',
      '.',
      '?',
      ' ',
      '\n',
      '\n\n',
      '(',
      ')',
      'A',
      'b',
      '3.1',
      '…',
      '。',
      '😀',
      '"',
    ];
    let seed = 7;
    const random = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647;
    for (let round = 0; round < 300; round++) {
      const text = Array.from(
        { length: 25 },
        () => pieces[Math.floor(random() * pieces.length)],
      ).join('');
      let at = 0;
      for (const { start, end } of splitSentences(text)) {
        assert.ok(start >= at && end > start, 'in order, not empty');
        assert.equal(text.slice(at, start).trim(), '');
        assert.equal(text.slice(start, end).trim(), text.slice(start, end));
        at = end;
      }
      assert.equal(text.slice(at).trim(), '');
    }
  });

  it('gives nothing for white space', () => {
    assert.deepEqual(split(''), []);
    assert.deepEqual(split(' \n\n '), []);
  });

  it('is linear in what it reads', () => {
    const start = performance.now();
    splitSentences('.'.repeat(200_000));
    splitSentences('a. '.repeat(100_000));
    splitSentences('x'.repeat(500_000));
    splitSentences('.) '.repeat(100_000));
    assert.ok(performance.now() - start < 5000);
  });
});
