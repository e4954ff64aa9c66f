import assert from 'node:assert/strict';
import { preparePools } from '../../../server/cli/engine';
import { RatioError } from '../../../server/engine/engine';
import type { LocalEngine } from '../../../server/engine/local';

describe('pools before an answer that is measured', () => {
  const { signal } = new AbortController();
  /** Tells a fault as `prepare` does. */
  const failing = (fault: unknown): LocalEngine => {
    const prepare: LocalEngine['prepare'] = async (_names, { onFault } = {}) =>
      onFault?.('mine', fault);
    return { prepare } as unknown as LocalEngine;
  };
  const strict = (fault: unknown): Promise<void> =>
    preparePools(failing(fault), null, signal, { strict: true });

  it('fail with the code of what went wrong', async () => {
    for (const code of ['disk', 'pool-busy'] as const) {
      await assert.rejects(
        strict(new RatioError(code, 'No room.')),
        (error) =>
          error instanceof RatioError &&
          error.code === code &&
          error.message === '"mine" could not be got ready: No room.',
      );
    }
  });

  it('fail with the cause where that is a bug', async () => {
    const bug = new TypeError('x is not a function');
    await assert.rejects(
      strict(bug),
      (error) => error instanceof Error && !(error instanceof RatioError) && error.cause === bug,
    );
  });
});
