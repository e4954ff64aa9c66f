/** Skipping that says why: mocha alone prints only the test's name. */
import type { Context } from 'mocha';

/** Skips a test, or from a hook its suite, and prints `reason` (no full stop). */
export function skipBecause(context: Context, reason: string): never {
  console.log(`      skipped: ${reason}`);
  return context.skip();
}
