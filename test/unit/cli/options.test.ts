import assert from 'node:assert/strict';
import { UsageError } from '../../../server/cli/exit';
import { issuePrinter } from '../../../server/cli/issues';
import { collectNames, contextMode } from '../../../server/cli/options';

describe('options of several commands', () => {
  it('know the mode of a context, and refuse what goes with none', () => {
    assert.equal(contextMode({}), null);
    assert.equal(contextMode({ context: true, contextBefore: 2 }), 'concat');
    assert.equal(contextMode({ context: 'combine', contextWeight: 0.3 }), 'combine');
    for (const alone of [{ contextBefore: 2 }, { contextWeight: 0 }]) {
      assert.throws(() => contextMode(alone), UsageError);
    }
    for (const context of [true, 'concat'] as const) {
      assert.throws(
        () => contextMode({ context, contextWeight: 0.3 }),
        (error: unknown) =>
          error instanceof UsageError && /goes with --context combine/.test(error.message),
      );
    }
  });

  it('name several, with commas or again', () => {
    assert.deepEqual(collectNames('cs.CL,cs.LG', undefined), ['cs.CL', 'cs.LG']);
    assert.deepEqual(collectNames('stat.ML,', ['cs.CL']), ['cs.CL', 'stat.ML']);
  });
});

describe('faulty rows', () => {
  const printed = (work: () => void): string => {
    const write = process.stderr.write.bind(process.stderr);
    let told = '';
    process.stderr.write = (text) => ((told += String(text)), true);
    try {
      work();
    } finally {
      process.stderr.write = write;
    }
    return told;
  };
  const issue = (line: number | null) => ({ source: 'a.jsonl', line, message: 'no\x1b[1m title' });

  it('are shown by their place, twenty at most, and the rest counted', () => {
    const told = printed(() => {
      const issues = issuePrinter();
      for (let line = 1; line <= 1025; line++) issues.show(issue(line));
      issues.finish();
    }).split('\n');
    assert.equal(told.length, 22);
    assert.equal(told[0], 'ratio: a.jsonl:1: no title');
    assert.equal(told[20], 'ratio: … and 1,005 more of these.');
  });

  it('are counted too where only some of them were kept', () => {
    const told = printed(() => {
      const issues = issuePrinter();
      issues.show(issue(null));
      issues.finish(21);
    });
    assert.equal(told, 'ratio: a.jsonl: no title\nratio: … and 1 more of these.\n');
  });
});
