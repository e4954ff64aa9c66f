/** `ratio eval` and `ratio judge` by themselves, for tests that start them as a process. */
import { Command } from 'commander';
import { registerEval } from '../../server/cli/eval';
import { fail } from '../../server/cli/exit';
import { registerJudge } from '../../server/cli/judge';

const program = new Command('ratio').exitOverride((error) => {
  process.exit(error.exitCode === 0 ? 0 : 2);
});
registerEval(program);
registerJudge(program);
program.parseAsync().catch(fail);
