import { fileURLToPath } from 'node:url';

/** The `writ` command of this program, as arguments for a process: also for one that runs inside a task. */
export const writCommand = (...args: readonly string[]): readonly string[] => [
  process.execPath,
  fileURLToPath(new URL('../bin/writ.js', import.meta.url)),
  ...args,
];

/** The same as one line of a shell script. */
export const writLine = (...args: readonly string[]): string =>
  writCommand(...args)
    .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
    .join(' ');
