import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { MOVES } from '../../../server/engine/engine';
import { isAnaphoric, refersBack } from '../../../server/mining/lexicon/anaphora';
import { matchClause, matchExtension } from '../../../server/mining/lexicon/connectives';
import { gerund, plural, thirdPerson } from '../../../server/mining/lexicon/inflect';
import { candidates, isRejected, lexicon, VERDICTS } from '../../../server/mining/lexicon/lexicon';
import { expand } from '../../../server/mining/lexicon/notation';
import { DISTRACTORS } from '../../../server/mining/lexicon/types';

describe('notation of phrases', () => {
  it('expands choices, empty and nested ones, once each', () => {
    assert.deepEqual(expand('in (a|the) (much |)broader sense'), [
      'in a much broader sense',
      'in a broader sense',
      'in the much broader sense',
      'in the broader sense',
    ]);
    assert.deepEqual(expand('(a(b|c)|d)'), ['ab', 'ac', 'd']);
    assert.deepEqual(expand('(x|x)'), ['x']);
  });

  it('refuses unbalanced brackets', () => {
    assert.throws(() => expand('to (address this'), /Unbalanced/);
    assert.throws(() => expand('to address) this'), /Unbalanced/);
  });
});

describe('inflection', () => {
  it('knows regular and irregular forms', () => {
    assert.deepEqual(['tackle', 'cope with', 'get around', 'free', 'curb'].map(gerund), [
      'tackling',
      'coping with',
      'getting around',
      'freeing',
      'curbing',
    ]);
    assert.deepEqual(['remedy', 'fix', 'go beyond', 'bridge'].map(thirdPerson), [
      'remedies',
      'fixes',
      'goes beyond',
      'bridges',
    ]);
    assert.deepEqual(['difficulty', 'research gap', 'crisis', 'lack'].map(plural), [
      'difficulties',
      'research gaps',
      'crises',
      null,
    ]);
  });
});

describe('anaphora test', () => {
  it('accepts objects that point back', () => {
    for (const object of [
      'this',
      'them',
      'these critical gaps',
      'such limitations',
      'the above issues',
      'the aforementioned gap',
      'the problem',
      'all of these challenges',
      'this issue and improve speed',
    ]) {
      assert.ok(refersBack(object), object);
    }
  });

  it('refuses objects that bring their own subject, or point at the paper', () => {
    for (const object of [
      'the problem of sparse labels',
      'the class imbalance',
      'class imbalance',
      'this paper',
      'our goal',
      'that we need data',
      'both accuracy and speed',
      'this motion—or if we',
    ]) {
      assert.ok(!refersBack(object), object);
    }
  });

  it('holds for whole markers', () => {
    for (const marker of [
      'to this end',
      'specifically',
      'more generally',
      'to do so',
      'for example',
    ]) {
      assert.ok(isAnaphoric(marker), marker);
    }
    for (const marker of ['in general', 'generally', 'in this paper', 'here', 'recently']) {
      assert.ok(!isAnaphoric(marker), marker);
    }
  });
});

describe('connectives', () => {
  const words = (text: string): string[] => text.split(' ');

  it('extend by at most five words up to the comma', () => {
    const short = words('to address this potential bias we');
    assert.deepEqual(matchExtension(short, 4), { words: 5, family: 'to address …' });
    const five = words('to effectively tackle these two hard open problems');
    assert.deepEqual(matchExtension(five, 7), { words: 8, family: 'to tackle …' });
    const six = words('to address this rather long list of issues');
    assert.equal(matchExtension(six, 7), null);
    assert.equal(matchExtension(short, -1), null);
  });

  it('need an object that refers back, and a problem where only that tells', () => {
    assert.equal(matchExtension(words('to address the cold start'), 4), null);
    assert.equal(matchExtension(words('motivated by these results'), 3), null);
    assert.ok(matchExtension(words('motivated by these limitations'), 3));
  });

  it('read clauses of response up to the means', () => {
    assert.deepEqual(matchClause(words('we address this gap by learning'), -1), {
      words: 5,
      family: 'we address … by',
    });
    assert.ok(matchClause(words('this paper aims to tackle these issues with a model'), -1));
    assert.equal(matchClause(words('we address this gap in the paper'), -1), null);
    assert.equal(matchClause(words('we address the parsing of tweets by learning'), -1), null);
  });
});

describe('lexicon', () => {
  const all = candidates();

  it('has every text once, so that each marker has one signal', () => {
    assert.equal(new Set(all.map(({ text }) => text)).size, all.length);
  });

  it('has at least 4,000 candidates, of every signal and provenance', () => {
    assert.ok(all.length >= 4000);
    const signals = new Set(all.map(({ signal }) => signal));
    for (const signal of [...MOVES, ...DISTRACTORS]) assert.ok(signals.has(signal), signal);
    for (const provenance of ['manual', 'pattern', 'model']) {
      for (const move of MOVES) {
        assert.ok(
          all.some((m) => m.signal === move && m.provenance === provenance),
          provenance,
        );
      }
    }
  });

  it('is written in lower case with single spaces and no final comma', () => {
    for (const { text } of all) assert.match(text, /^[^\sA-Z,]+(?: [^\sA-Z,]+)*$/);
  });

  it('keeps rejected candidates as distractors', () => {
    const notably = lexicon().find(({ text }) => text === 'notably');
    assert.ok(isRejected('notably'));
    assert.equal(notably?.signal, 'common-irrelevant');
    assert.equal(lexicon().find(({ text }) => text === 'specifically')?.signal, 'specify');
  });

  it('takes no marker for a move that is not anaphoric, unless its antecedent is tested', () => {
    for (const { text, signal, when } of lexicon()) {
      if ((MOVES as readonly string[]).includes(signal)) {
        assert.ok(when !== null || isAnaphoric(text), text);
      }
    }
  });

  it('has verdicts with counts that fit and reasons, one a marker and move', () => {
    assert.ok(VERDICTS.length > 50);
    const seen = new Set<string>();
    for (const { marker, move, members, fired, inspected, good, verdict, reason } of VERDICTS) {
      assert.ok(good <= inspected, marker);
      assert.ok(fired >= 0 && reason.length > 5, marker);
      const share = good / inspected;
      if (verdict === 'accept') assert.ok(share >= (move === 'broaden' ? 0.75 : 0.8), marker);
      else assert.ok(share <= 0.85, marker);
      for (const member of members ?? [marker]) {
        assert.ok(!seen.has(`${move} ${member}`), member);
        seen.add(`${move} ${member}`);
      }
    }
  });
});
