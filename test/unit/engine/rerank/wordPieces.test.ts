import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTokenizer } from '../../../../server/engine/encoder/modelFiles';
import { Tokens } from '../../../../server/engine/encoder/tokens';
import { jointInput } from '../../../../server/engine/rerank/joint';
import { WordPieces } from '../../../../server/engine/rerank/wordPieces';
import { packageRoot } from '../../../../server/paths';
import { expected } from './support';

const HOSTILE = [
  '',
  '   ',
  '[SEP] [CLS][MASK] a[SEP]b [sep] ]]x[[',
  'x'.repeat(150),
  `${'ab-'.repeat(80)}`,
  'Naïve café, ﬁne ＡＢＣ 日本語のテキスト, Ünïcödé — “quoted”… 1,000.5%',
  'emoji \u{1F600}\u{1F9EA} and \u0000 control \u200B zero\uFEFFwidth \uD800 lone',
  "don't can't I'm e.g. i.e. U.S.A. C++/C# a_b a~b `code` ^x{y}|z\\w <tag attr='1'> & ## ##ing",
  'tab\tnew\nline\r\nnbsp\u00A0thin\u2009end',
  'supercalifragilisticexpialidocious antidisestablishmentarianism zzzzqqqqxxxx',
  'MiXeD CaSe BERT-like GPT-4o O(n^2) $\\alpha_{i}$ x=y+z',
];

describe('word pieces', function () {
  this.timeout(60_000);
  let library: Tokens;
  let pieces: WordPieces;
  let files: [object, object];
  before(async () => {
    files = await readTokenizer(join(packageRoot(), 'models', 'encoder'));
    library = new Tokens(...files, Infinity);
    pieces = new WordPieces(...files);
  });
  const whole = (text: string): number[] => library.encode(text).slice(1, -1);

  it('are those of the library, whatever the text', () => {
    for (const text of HOSTILE) {
      assert.deepEqual([...pieces.ids(text)], whole(text), JSON.stringify(text));
    }
  });

  it('are those of the library for sentences of papers', () => {
    const lines = readFileSync(join(packageRoot(), 'media', 'starter-pool.jsonl'), 'utf8');
    const sentences = lines
      .split('\n')
      .filter((line, i) => line !== '' && i % 7 === 1)
      .flatMap(
        (line) => (JSON.parse(line) as { sentences: (string | { text: string })[] }).sentences,
      )
      .map((sentence) => (typeof sentence === 'string' ? sentence : sentence.text));
    assert.ok(sentences.length > 50);
    for (const text of sentences) assert.deepEqual([...pieces.ids(text)], whole(text), text);
  });

  it('are the library’s alone where the tokeniser is another', () => {
    const cased = structuredClone(files[0]) as { normalizer: { lowercase: boolean } };
    cased.normalizer.lowercase = false;
    const other = new WordPieces(cased, files[1]);
    const text = 'A Cased Word';
    assert.deepEqual(
      [...other.ids(text)],
      new Tokens(cased, files[1], Infinity).encode(text).slice(1, -1),
    );
    assert.notDeepEqual([...other.ids(text)], [...pieces.ids(text)]);
  });

  it('refuse a tokeniser without marks', () => {
    const bare = { ...files[0], post_processor: null };
    assert.throws(() => new WordPieces(bare, files[1]), /mark|special/);
  });
});

describe('joint input', () => {
  const marks = { start: 101, end: 102 };
  const limits = { maxTokens: 20, maxQueryTokens: 4 };

  it('marks query and sentences by spans', () => {
    assert.deepEqual(jointInput([7, 8], [[1], [2, 3]], marks, limits), {
      ids: [101, 7, 8, 102, 1, 102, 2, 3, 102],
      spans: [-1, 0, 0, -1, 1, -1, 2, 2, -1],
    });
  });

  it('is the reference’s, ids and spans', async () => {
    const pieces = new WordPieces(
      ...(await readTokenizer(join(packageRoot(), 'models', 'encoder'))),
    );
    const whole = { maxTokens: 160, maxQueryTokens: 64 };
    for (const { move, inputs } of expected.scores) {
      const asked = pieces.ids((move === 'none' ? '' : `${move}: `) + expected.query);
      expected.passages.forEach((sentences, p) => {
        const ids = sentences.map((sentence) => pieces.ids(sentence));
        const made = jointInput(asked, ids, pieces.marks, whole);
        const spans = inputs[p]?.spans.flatMap(([k, n]) => new Array<number>(n).fill(k));
        assert.deepEqual(made, { ids: inputs[p]?.ids, spans });
      });
    }
  });

  it('cuts a long query and a single long sentence at their ends', () => {
    const { ids, spans } = jointInput(
      [1, 2, 3, 4, 5, 6],
      [Array.from({ length: 50 }, (_, i) => i + 200)],
      marks,
      limits,
    );
    assert.equal(ids.length, 20);
    assert.deepEqual(ids.slice(0, 8), [101, 1, 2, 3, 4, 102, 200, 201]);
    assert.deepEqual(ids.slice(-2), [212, 102]);
    assert.deepEqual(spans.filter((span) => span === 1).length, 13);
  });

  it('cuts the longest of several that do not fit, and loses none', () => {
    const { ids, spans } = jointInput([], [[1, 1, 1], [2], new Array<number>(40).fill(3)], marks, {
      ...limits,
      maxTokens: 16,
    });
    assert.ok(ids.length <= 16);
    assert.deepEqual(
      [1, 2, 3].map((k) => spans.filter((span) => span === k).length),
      [3, 1, 7],
    );
  });
});
