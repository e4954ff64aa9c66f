import assert from 'node:assert/strict';
import { inspireRequestSchema, RatioError } from '../../../server/engine/engine';
import { prepareTextForm, vectorKind } from '../../../server/engine/encoder/textForm';
import { abortable } from '../../../server/engine/errors';
import { Inspirer } from '../../../server/engine/recall/inspire';
import { OpenPools } from '../../../server/engine/store/pools';
import { row, Workspace } from './support';

const isCancelled = (error: unknown): boolean =>
  error instanceof RatioError && error.code === 'cancelled';

describe('a cancelled move', function () {
  this.timeout(20_000);
  let workspace: Workspace;
  before(prepareTextForm);
  beforeEach(() => (workspace = new Workspace()));
  afterEach(() => workspace.dispose());

  it('does not wait for stages that are still being loaded', async () => {
    const engine = await workspace.engine({ upkeep: 'none' });
    const path = workspace.file('a.jsonl', [row('a', ['A lamp beside a river needs glass.'])]);
    await engine.addToPool({ pool: 'one', sources: [path] });
    const pools = new OpenPools(workspace.home, vectorKind(workspace.encoder));
    const inspirer = new Inspirer(pools, workspace.encoder, () => new Promise(() => undefined));
    const abort = new AbortController();
    try {
      const request = inspireRequestSchema.parse({
        ...{ move: 'address', text: 'A lamp on the river', pools: null },
      });
      const moving = inspirer.inspire(request, {
        signal: abort.signal,
        // Once the first results are out the stages are asked for.
        onSnapshot: () => setImmediate(() => abort.abort()),
      });
      await assert.rejects(moving, isCancelled);
    } finally {
      inspirer.close();
      pools.close();
    }
  });
});

describe('work that a signal may leave', () => {
  it('gives what it gives, or is left at once', async () => {
    const { signal } = new AbortController();
    assert.equal(await abortable(Promise.resolve(7), signal), 7);
    assert.equal(await abortable(Promise.resolve(8), undefined), 8);
    await assert.rejects(abortable(Promise.reject(new Error('no luck')), signal), /no luck/);
    const abort = new AbortController();
    const left = abortable(new Promise(() => undefined), abort.signal);
    abort.abort();
    await assert.rejects(left, isCancelled);
    await assert.rejects(abortable(Promise.resolve(7), abort.signal), isCancelled);
  });
});
