/** Results of mocha runs, the same from the extension host and from UI suites. */
import type { Context, Runner, Suite, Test } from 'mocha';

export interface TestResult {
  readonly kind: 'inhost' | 'ui';
  readonly title: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly ms: number;
  /** Stack of a failure, or the reason of a skip. */
  readonly detail?: string;
  /** What failed at the first try, where the second passed. */
  readonly firstTry?: string;
}

interface WithReason {
  skipReason?: string;
}

/** Skips a test, or from `before` its suite, and says why in the summary. */
export function skipWith(context: Context, reason: string): never {
  const current = context.test;
  // In a hook, the reason is for every test of the suite.
  const inHook = current !== undefined && 'type' in current && current.type === 'hook';
  const owner = inHook ? current.parent : current;
  if (owner) (owner as WithReason).skipReason = reason;
  return context.skip();
}

/** Calls `sink` with every result of a run, failed hooks included. */
export function collect(
  runner: Runner,
  kind: TestResult['kind'],
  sink: (result: TestResult) => void,
): void {
  const result = (test: Test, state: TestResult['state'], detail?: string): TestResult => ({
    kind,
    title: test.fullTitle(),
    state,
    ms: test.duration ?? 0,
    ...(detail === undefined ? {} : { detail }),
  });
  let retried: string | undefined;
  runner.on('retry', (_test, error: unknown) => (retried = stackOf(error)));
  // The next result after a retry is that of the second try.
  const tell = (told: TestResult): void => {
    const firstTry = told.state === 'passed' ? retried : undefined;
    retried = undefined;
    sink({ ...told, ...(firstTry === undefined ? {} : { firstTry }) });
  };
  runner.on('pass', (test) => tell(result(test, 'passed')));
  runner.on('fail', (test, error: unknown) => tell(result(test, 'failed', stackOf(error))));
  runner.on('pending', (test) => tell(result(test, 'skipped', skipReason(test))));
}

/** Counts of results, as `10 passed (2 at the second try), 0 failed, 1 skipped`. */
export function summary(results: readonly TestResult[]): string {
  const count = (state: TestResult['state']) => results.filter((r) => r.state === state).length;
  const again = results.filter(({ firstTry }) => firstTry !== undefined).length;
  const passed = `${count('passed')} passed${again > 0 ? ` (${again} at the second try)` : ''}`;
  return `${passed}, ${count('failed')} failed, ${count('skipped')} skipped`;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** One line for the terminal. */
export function line(result: TestResult): string {
  const mark = { passed: '✔', failed: '✘', skipped: '-' }[result.state];
  const again = result.firstTry === undefined ? '' : ', at the second try; the first:';
  const ms = result.state === 'passed' ? ` (${result.ms} ms${again})` : '';
  const more = result.detail ?? result.firstTry;
  const detail = more ? `\n    ${more.replaceAll('\n', '\n    ')}` : '';
  return `  ${mark} [${result.kind}] ${result.title}${ms}${detail}`;
}

function skipReason(test: Test): string {
  let node: (Test | Suite) & WithReason = test;
  for (;;) {
    if (node.skipReason) return node.skipReason;
    if (!node.parent) return 'no reason given';
    node = node.parent;
  }
}
