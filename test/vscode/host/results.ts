/** Results of mocha runs, the same from the extension host and from UI suites. */
import type { Context, Runner, Suite, Test } from 'mocha';

export interface TestResult {
  readonly kind: 'inhost' | 'ui';
  readonly title: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly ms: number;
  /** Stack of a failure, or the reason of a skip. */
  readonly detail?: string;
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
  runner.on('pass', (test) => sink(result(test, 'passed')));
  runner.on('fail', (test, error: Error) => {
    sink(result(test, 'failed', error.stack ?? String(error)));
  });
  runner.on('pending', (test) => sink(result(test, 'skipped', skipReason(test))));
}

/** One line for the terminal. */
export function line(result: TestResult): string {
  const mark = { passed: '✔', failed: '✘', skipped: '-' }[result.state];
  const ms = result.state === 'passed' ? ` (${result.ms} ms)` : '';
  const detail = result.detail ? `\n    ${result.detail.replaceAll('\n', '\n    ')}` : '';
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
