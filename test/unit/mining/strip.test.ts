import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { cleanSentence, recapitalise } from '../../../server/mining/clean';
import { faultOf } from '../../../server/mining/quality';
import { readOpening, stripMarker } from '../../../server/mining/strip';

describe('stripMarker', () => {
  const cases: [sentence: string, text: string, marker: string | null][] = [
    ['To address this issue, we prune the graph.', 'We prune the graph.', 'to address this issue'],
    ['To address this issue we prune the graph.', 'We prune the graph.', 'to address this issue'],
    ['To this end, this paper prunes the graph.', 'This paper prunes the graph.', 'to this end'],
    ['Specifically, BERT is frozen in stage two.', 'BERT is frozen in stage two.', 'specifically'],
    ['Specifically: the graph is pruned first.', 'The graph is pruned first.', 'specifically'],
    ['However, nobody prunes graphs by hand.', 'Nobody prunes graphs by hand.', 'however'],
    [
      'Therefore, to close this gap, in this paper, we prune graphs.',
      'We prune graphs.',
      'therefore, to close this gap, in this paper',
    ],
    [
      'We address this gap by pruning every graph twice.',
      'Pruning every graph twice.',
      'we address this gap by',
    ],
    ['(2) More generally, graphs can be cut [4, 7].', 'Graphs can be cut.', 'more generally'],
    ['We prune the graph of every user.', 'We prune the graph of every user.', null],
    [
      'To address the cold start, we prune graphs.',
      'To address the cold start, we prune graphs.',
      null,
    ],
    ['', '', null],
  ];
  for (const [sentence, text, marker] of cases) {
    it(sentence || '(empty)', () => assert.deepEqual(stripMarker(sentence), { text, marker }));
  }

  it('takes the longest marker', () => {
    assert.equal(stripMarker('In particular, graphs of users shrink.').marker, 'in particular');
    assert.equal(
      stripMarker('More specifically, graphs of users shrink.').marker,
      'more specifically',
    );
  });

  it('needs a word border and a comma', () => {
    for (const sentence of [
      'Firstborn graphs are pruned by nobody.',
      'However many graphs we prune, some stay.',
      'In general relativity, graphs are curved.',
      'First graphs are pruned by hand.',
    ]) {
      assert.equal(stripMarker(sentence).marker, null, sentence);
    }
  });

  it('leaves a sentence alone where too little or no sentence would be left', () => {
    assert.equal(stripMarker('However, no.').marker, null);
    assert.deepEqual(stripMarker('To address this, and others, we prune.').marker, null);
    for (const [sentence, marker, reason] of [
      ['To address this, and others, we prune.', 'to address this', 'no-sentence'],
      ['Specifically, we do.', 'specifically', 'short-rest'],
    ] as const) {
      const { refused, found } = readOpening(sentence);
      assert.deepEqual([refused?.found.text, refused?.reason, found], [marker, reason, []]);
    }
    assert.equal(readOpening('To address this, we prune the graph.').refused, null);
  });

  it('is stable: what is left has nothing more to strip than the layers allow', () => {
    const { text } = stripMarker('However, in this paper, here, we prune graphs at night.');
    assert.equal(stripMarker(text).text, text);
  });
});

describe('cleanSentence', () => {
  const cases: [string, string][] = [
    ['1) We prune graphs.', 'We prune graphs.'],
    ['[3] We prune graphs.', 'We prune graphs.'],
    ['(ii) We prune graphs.', 'We prune graphs.'],
    ['• We prune graphs.', 'We prune graphs.'],
    ['2. We prune graphs.', 'We prune graphs.'],
    ['Pruning works (Doe et al., 2020; Roe, 2019a) at night.', 'Pruning works at night.'],
    ['Pruning works [12]–[14], [18] at night .', 'Pruning works at night.'],
    ['Doe (2020) prunes graphs.', 'Doe prunes graphs.'],
    ['Word- level and two- and three-way cuts.', 'Word-level and two- and three-way cuts.'],
    ['An e\ufb03cient \ufb01lter.', 'An efficient filter.'],
    ['3D graphs are pruned.', '3D graphs are pruned.'],
    ['Graphs (of users) shrink.', 'Graphs (of users) shrink.'],
    ['A graph (in 2020) was pruned.', 'A graph (in 2020) was pruned.'],
  ];
  for (const [raw, clean] of cases) {
    it(raw, () => assert.equal(cleanSentence(raw), clean));
  }

  it('takes a sentence that it has cleaned as it is', () => {
    for (const [, clean] of cases) assert.equal(cleanSentence(clean), clean);
  });
});

describe('recapitalise', () => {
  it('changes the first letter only where the word has no capital', () => {
    assert.equal(recapitalise('we prune'), 'We prune');
    assert.equal(recapitalise('iPhone users'), 'iPhone users');
    assert.equal(recapitalise('“we” prune'), '“We” prune');
    assert.equal(recapitalise('élan counts'), 'Élan counts');
    assert.equal(recapitalise('3 graphs'), '3 graphs');
  });
});

describe('faultOf', () => {
  const cases: [string, ReturnType<typeof faultOf>][] = [
    ['The graph of every user is pruned at night by the crew.', null],
    ['The graph is pruned.', 'short'],
    [`The graph ${'of the user '.repeat(60)}is pruned.`, 'long'],
    ['The graph of every user is pruned at night by the crew', 'truncated'],
    ['The graph of every user is pruned at night by the crew…', 'truncated'],
    ['Hypergraph-based superpixelization outperforms everything.', 'few-words'],
    ['It is f(x) = 3x^2 + 4y - 17/92 and g(z) = 1/2 * (4 + 8) in 2.', 'symbols'],
    ['Le graphe de chaque auteur est lu par nous dans une nuit.', 'language'],
    [
      '图的每个用户在夜间被团队修剪,并且我们发布了所有的数据和模型以及更多的工具和文档给大家.',
      'few-words',
    ],
    ['and the graph of every user is pruned at night by the crew.', 'fragment'],
    ['The graph (of every user is pruned at night by the crew.', 'fragment'],
    ['The code of every graph is available at our project page.', 'boilerplate'],
    ['The graph of every user is pruned as shown in Table 3.', 'place'],
  ];
  for (const [text, fault] of cases) {
    it(`${fault ?? 'none'}: ${text.slice(0, 40)}`, () => assert.equal(faultOf(text), fault));
  }
});
