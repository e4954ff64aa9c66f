import assert from 'node:assert/strict';
import { stripVTControlCharacters } from 'node:util';
import type { Inspiration, Snapshot } from '../../../server/engine/engine';
import { inspirationText, queryText } from '../../../server/cli/query';

const inspiration = (why: Inspiration['why']): Inspiration => ({
  rank: 3,
  score: 1,
  id: 'mine/p#2',
  text: 'We propose a sampler.',
  role: 'method',
  before: null,
  after: null,
  paper: {
    id: 'p',
    title: 'Sampling',
    authors: ['Ada Example'],
    date: '2020',
    venue: null,
    url: null,
    doi: null,
  },
  pool: 'mine',
  why,
});
const lines = (why: Inspiration['why']): string[] =>
  stripVTControlCharacters(inspirationText(inspiration(why), false))
    .trimEnd()
    .split('\n');

describe('an inspiration in a terminal', () => {
  it('names the sentence before it that is like the query, where that is why it is here', () => {
    const text = 'Labels\u001b[31m are scarce.';
    const shown = lines({ dense: null, lexical: null, context: { cosine: 0.7, text } });
    assert.equal(shown[0], '  3. We propose a sampler.');
    assert.equal(shown.at(-1), '     follows a sentence like yours: “Labels are scarce.”');
  });

  it('has no such line without one', () => {
    const shown = lines({ dense: { rank: 1, cosine: 0.8 }, lexical: null, context: null });
    assert.equal(shown.at(-1), '     method · pool mine · p');
    assert.deepEqual(lines({ dense: null, lexical: null }).at(-1), shown.at(-1));
  });

  it('shows the sentences around it, shortened to what is next to it, if asked for', () => {
    const long = (word: string): string => `Of ${`${word} `.repeat(60)}end.`;
    const shown = stripVTControlCharacters(
      inspirationText(
        {
          ...inspiration({ dense: null, lexical: null }),
          before: long('earlier'),
          after: `\u001b[2JSo ${long('later')}`,
        },
        true,
      ),
    );
    const [head = '', tail = ''] = shown.split('  3. We propose a sampler.\n');
    assert.match(head, /^ {5}↑ … earlier [^]*earlier end\.\n$/);
    assert.match(tail, /^ {5}↓ So Of later [^]*later …\n {5}Ada Example/);
    for (const part of [head, tail]) assert.ok(part.length < 260, part);
  });

  it('has no neighbours at an end of a paper, or unless asked for', () => {
    const some = { ...inspiration({ dense: null, lexical: null }), after: 'It is quick.' };
    assert.doesNotMatch(inspirationText(some, true), /↑/);
    assert.match(inspirationText(some, true), /↓ It is quick\./);
    assert.doesNotMatch(inspirationText(some, false), /[↑↓]/);
  });

  it('shows what other papers say alike beside the neighbours', () => {
    const some = inspiration({ dense: null, lexical: null });
    const relative = {
      id: 'mine/r#0',
      text: 'A sampler was\u001b[2J proposed.',
      paper: { ...some.paper, id: 'r', title: 'Sampling again' },
      pool: 'mine',
      cosine: 0.9,
    };
    const shown = (neighbours: boolean): string =>
      stripVTControlCharacters(inspirationText({ ...some, relatives: [relative] }, neighbours));
    assert.match(
      shown(true),
      /≈ A sampler was proposed\. \(Ada Example\. Sampling again\. 2020\.\)/,
    );
    assert.doesNotMatch(shown(false), /≈/);
  });
});

describe('an answer without inspirations in a terminal', () => {
  const empty = (weak: boolean): string => {
    const snapshot: Snapshot = {
      sequence: 1,
      final: true,
      inspirations: [],
      weak,
      more: false,
      pools: ['one', 'two'],
      device: 'cpu',
      notices: [],
      elapsedMs: 1,
    };
    return stripVTControlCharacters(queryText('address', 'Labels are scarce.', snapshot, false));
  };

  it('tells years without papers from nothing close', () => {
    assert.match(empty(true), /Nothing close in these pools \(one, two\)\./);
    assert.match(empty(false), /No paper of these years in these pools \(one, two\)\./);
  });
});
