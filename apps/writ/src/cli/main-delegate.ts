import { defineDelegate } from './commands/delegate.ts';
import { defineRun } from './commands/run.ts';
import { runCli } from './run-cli.ts';

// The commands that programs call again and again, in a file of their own: start-up is most of their time. CommonJS once it is
// built, which has no `await` here.
void runCli((definitions) => {
  defineDelegate(definitions);
  defineRun(definitions);
});
