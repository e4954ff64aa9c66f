import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SourcePaper } from '../../../server/engine/import/source';
import { announcesParts, leavesProblem } from '../../../server/mining/antecedent';
import { pairsOf } from '../../../server/mining/pairs';

const PROBLEM = 'However, existing pruners fail on large graphs and are prohibitively slow.';
const CALM = 'Our crew sees the harbour from the hill every morning.';

function paper(...texts: (string | [section: string, text: string])[]): SourcePaper {
  return {
    paper: {
      id: 'p',
      title: 'Graphs at night',
      authors: [],
      date: '2024',
      venue: null,
      url: null,
      doi: null,
    },
    sentences: texts.map((item) =>
      typeof item === 'string'
        ? { text: item, role: null, section: null }
        : { text: item[1], role: null, section: item[0] },
    ),
    titleOnly: false,
  };
}

describe('pairsOf', () => {
  it('pairs a marker’s sentence with the one before, both stripped', () => {
    const { pairs, sentences } = pairsOf(
      paper(PROBLEM, 'To address these issues, we prune only the edges that nobody walks.'),
    );
    assert.deepEqual(pairs, [
      {
        id: 'address:p#1',
        move: 'address',
        marker: 'to address these issues',
        family: 'to address these issues',
        query: 'Existing pruners fail on large graphs and are prohibitively slow.',
        queryId: 'p#0',
        gold: 'We prune only the edges that nobody walks.',
        goldId: 'p#1',
      },
    ]);
    assert.deepEqual(
      sentences.map(({ id, kind }) => [id, kind]),
      [
        ['p#0', 'distractor'],
        ['p#1', 'other'],
      ],
    );
  });

  it('reads Specify both ways, and Broaden one way', () => {
    const specify = pairsOf(
      paper(CALM, 'For example, the crew saw three ships and a whale on Monday.'),
    ).pairs;
    assert.deepEqual(
      specify.map(({ move, queryId, goldId }) => [move, queryId, goldId]),
      [
        ['specify', 'p#0', 'p#1'],
        ['broaden-reversed', 'p#1', 'p#0'],
      ],
    );
    const broaden = pairsOf(
      paper(CALM, 'More generally, crews with a hill see all that moves on the sea.'),
    ).pairs;
    assert.deepEqual(
      broaden.map(({ move }) => move),
      ['broaden'],
    );
  });

  it('asks conditional markers for the right antecedent', () => {
    const goal = 'To this end, we prune only the edges that nobody walks.';
    assert.equal(pairsOf(paper(PROBLEM, goal)).pairs[0]?.move, 'address');
    const calm = pairsOf(paper(CALM, goal));
    assert.deepEqual(calm.pairs, []);
    assert.equal(calm.dropped[0]?.reason, 'condition');
    assert.equal(calm.sentences[1]?.kind, 'distractor');

    const first = 'First, the edges that nobody walks are cut from the graph.';
    assert.equal(
      pairsOf(paper('Our pruner works in two stages on every graph.', first)).pairs[0]?.move,
      'specify',
    );
    assert.deepEqual(pairsOf(paper(CALM, first)).pairs, []);

    const inference = 'Therefore, we propose a pruner that cuts only edges nobody walks.';
    assert.equal(pairsOf(paper(PROBLEM, inference)).pairs[0]?.move, 'address');
    assert.deepEqual(pairsOf(paper(CALM, inference)).pairs, []);
    assert.deepEqual(
      pairsOf(paper(PROBLEM, 'Therefore, the crew stays on the hill through the night.')).pairs,
      [],
    );
  });

  it('drops a move’s marker after a contrast, but not after an inference', () => {
    const response = 'to overcome this issue, we prune only the edges nobody walks.';
    assert.equal(pairsOf(paper(PROBLEM, `Thus, ${response}`)).pairs.length, 1);
    const contrast = pairsOf(paper(PROBLEM, `However, ${response}`));
    assert.deepEqual(contrast.pairs, []);
    assert.equal(contrast.dropped[0]?.reason, 'after-other-marker');
  });

  it('pairs nothing across sections or without an antecedent', () => {
    const text = 'Specifically, the edges that nobody walks are cut at night.';
    assert.equal(pairsOf(paper(text)).dropped[0]?.reason, 'no-antecedent');
    assert.equal(
      pairsOf(paper(['Introduction', CALM], ['Method', text])).dropped[0]?.reason,
      'no-antecedent',
    );
    assert.equal(pairsOf(paper(['Method', CALM], ['Method', text])).pairs.length, 2);
  });

  it('drops pairs of poor sentences with the reason', () => {
    const good = 'Specifically, the edges that nobody walks are cut at night.';
    assert.equal(pairsOf(paper('We prune.', good)).dropped[0]?.reason, 'query-short');
    assert.equal(
      pairsOf(paper(CALM, 'Specifically, the edges that nobody walks are cut at')).dropped[0]
        ?.reason,
      'gold-truncated',
    );
  });

  it('counts a marker that stays in its sentence, with the reason', () => {
    for (const [text, family, reason] of [
      ['To address this issue, and others, we prune.', 'to address this issue', 'no-sentence'],
      ['In this paper, specifically, which edges we cut.', 'specifically', 'no-sentence'],
      ['Specifically, we do.', 'specifically', 'short-rest'],
    ] as const) {
      const { pairs, dropped, sentences } = pairsOf(paper(PROBLEM, text));
      assert.deepEqual(pairs, []);
      assert.deepEqual(
        dropped.map((each) => [each.family, each.reason]),
        [[family, reason]],
      );
      assert.ok(sentences[1]?.text.toLowerCase().includes(family));
    }
    // One that would leave too little stays behind the marker of a pair.
    const behind = pairsOf(paper(CALM, 'For example, in particular, no.'));
    assert.deepEqual(
      behind.dropped.map(({ reason }) => reason),
      ['gold-short'],
    );
    // No move, no count.
    assert.deepEqual(pairsOf(paper(CALM, 'However, and so on it goes.')).dropped, []);
  });

  it('takes no pair from a paper without sentences', () => {
    assert.deepEqual(pairsOf(paper()), { sentences: [], pairs: [], dropped: [] });
  });
});

describe('antecedents', () => {
  it('tells announced parts', () => {
    for (const text of [
      'It has two key components.',
      'We make three contributions.',
      'The two-stage pruner is fast.',
      'We proceed as follows.',
      'Our contribution is twofold.',
    ]) {
      assert.ok(announcesParts(text), text);
    }
    assert.ok(!announcesParts('We prune graphs of users at night.'));
  });

  it('tells problems, needs and goals from proposals', () => {
    assert.ok(leavesProblem(PROBLEM));
    assert.ok(leavesProblem('Robots need to see the harbour at night.'));
    assert.ok(leavesProblem('Our goal is to see ships at night.'));
    assert.ok(!leavesProblem('We propose a pruner that needs no labels.'));
    assert.ok(!leavesProblem(CALM));
  });
});
