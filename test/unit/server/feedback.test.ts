import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RatioError } from '../../../server/engine/engine';
import { feedbackCount, feedbackPath, keepFeedback } from '../../../server/feedback';
import type { FeedbackParams } from '../../../server/protocol';

const judgement: FeedbackParams = {
  verdict: 'useful',
  move: 'address',
  query: 'Labels are noisy.',
  inspiration: {
    rank: 1,
    score: 0.5,
    id: 'p/x#0',
    text: 'Model each annotator.',
    role: 'method',
    before: null,
    after: null,
    paper: { id: 'x', title: 'T', authors: [], date: null, venue: null, url: null, doi: null },
    pool: 'p',
    why: { dense: { rank: 1, cosine: 0.5 }, lexical: null },
  },
};

describe('feedback', () => {
  let home: string;
  beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'ratio-feedback-'))));
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it('appends one JSON line a judgement and counts them', () => {
    assert.equal(feedbackCount(home), 0);
    keepFeedback(home, judgement, new Date(0));
    keepFeedback(home, { ...judgement, verdict: 'none' });
    assert.equal(feedbackCount(home), 2);
    const [first] = readFileSync(feedbackPath(home), 'utf8').split('\n');
    const row = JSON.parse(first ?? '') as Record<string, unknown>;
    assert.equal(row['time'], '1970-01-01T00:00:00.000Z');
    assert.equal(row['verdict'], 'useful');
    assert.equal(row['sentence'], 'p/x#0');
  });

  it('says where it could not write and what to do', () => {
    const file = join(home, 'file');
    writeFileSync(file, '');
    assert.throws(
      () => keepFeedback(join(file, 'below'), judgement),
      (error) =>
        error instanceof RatioError && error.code === 'disk' && error.message.includes(file),
    );
  });
});
