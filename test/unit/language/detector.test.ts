import assert from 'node:assert/strict';
import { RatioError, type ProblemScores } from '../../../server/engine/engine';
import { ProblemDetector } from '../../../server/language/detector';

const PROBLEM = 'However, existing models suffer from noisy labels and fail to generalise.';
const PLAIN = 'We store every paper in a small database.';

/** An engine that gives long texts 0.9 and others 0.1, and keeps what it was asked. */
function engine(answer?: (texts: string[]) => Promise<ProblemScores | null>) {
  const asked: string[][] = [];
  return {
    asked,
    ready: true,
    problems: async (texts: string[]) => {
      asked.push(texts);
      if (answer) return answer(texts);
      return { probabilities: texts.map((text) => (text.length > 50 ? 0.9 : 0.1)), threshold: 0.5 };
    },
  };
}

describe('the detector of problem statements', () => {
  it('asks the engine once for each sentence', async () => {
    const asked = engine();
    const detector = new ProblemDetector(asked);
    const first = await detector.detect([PROBLEM, PLAIN, PROBLEM]);
    assert.deepEqual(first, {
      probabilities: [0.9, 0.1, 0.9],
      threshold: 0.5,
      learned: true,
      problem: null,
    });
    await detector.detect([PLAIN, 'A new one.']);
    assert.equal(await detector.states(PROBLEM), true);
    assert.deepEqual(asked.asked, [[PROBLEM, PLAIN], ['A new one.']]);
    detector.clear();
    await detector.detect([PLAIN]);
    assert.deepEqual(asked.asked.at(-1), [PLAIN]);
  });

  it('uses cues where there is no head, and does not ask again', async () => {
    const asked = engine(async () => null);
    const detector = new ProblemDetector(asked);
    const found = await detector.detect([PROBLEM, PLAIN]);
    assert.equal(found.learned, false);
    assert.equal(found.problem, null);
    assert.ok((found.probabilities[0] ?? 0) >= found.threshold);
    assert.ok((found.probabilities[1] ?? 1) < found.threshold);
    await detector.detect(['Something else is here.']);
    assert.equal(asked.asked.length, 1);
  });

  it('uses cues and says why where the engine fails, and asks it again', async () => {
    let broken = true;
    const asked = engine(async (texts) => {
      if (broken) throw new RatioError('engine-down', 'The engine died too often.');
      return { probabilities: texts.map(() => 0.4), threshold: 0.5 };
    });
    const detector = new ProblemDetector(asked);
    const failed = await detector.detect([PROBLEM]);
    assert.equal(failed.problem, 'The engine died too often.');
    assert.ok((failed.probabilities[0] ?? 0) >= failed.threshold);
    broken = false;
    assert.deepEqual((await detector.detect([PROBLEM])).probabilities, [0.4]);
  });

  it('does not start an engine for one sentence', async () => {
    const asked = { ...engine(), ready: false };
    const detector = new ProblemDetector(asked);
    assert.equal(await detector.states(PROBLEM), true);
    assert.equal(await detector.states(PLAIN), false);
    assert.deepEqual(asked.asked, []);
  });

  it('keeps what a cancelled request had, and rejects it', async () => {
    const abort = new AbortController();
    const asked = engine(async (texts) => {
      if (asked.asked.length === 2) abort.abort();
      return { probabilities: texts.map(() => 0.9), threshold: 0.5 };
    });
    const detector = new ProblemDetector(asked);
    const texts = Array.from({ length: 150 }, (_, i) => `Sentence number ${i}.`);
    await assert.rejects(detector.detect(texts, abort.signal), /cancelled/i);
    const before = asked.asked.length;
    await detector.detect(texts.slice(0, 64));
    assert.equal(asked.asked.length, before);
  });

  it('forgets an answer of the encoder that was in use before', async () => {
    const detector: ProblemDetector = new ProblemDetector(
      engine(async (texts) => {
        detector.clear();
        return { probabilities: texts.map(() => 0.9), threshold: 0.5 };
      }),
    );
    await detector.detect([PLAIN]);
    const again = engine();
    Object.assign(detector, { engine: again });
    await detector.detect([PLAIN]);
    assert.deepEqual(again.asked, [[PLAIN]]);
  });
});
