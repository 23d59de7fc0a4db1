import { defineCommands } from './commands/index.ts';
import { runCli } from './run-cli.ts';

await runCli(defineCommands);
