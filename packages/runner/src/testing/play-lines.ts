/**
 * An agent for tests that writes what its prompt on standard input says, a JSON `Script`, and ends: it plays the event
 * streams of other programs. Its own arguments are its first line on standard error.
 */
import { readFileSync } from 'node:fs';

/** What is written to standard output, and the status of the end. */
export interface Script {
  readonly lines: readonly string[];
  /** Characters of a last line without its line break. */
  readonly tail?: string;
  readonly exit: number;
}

const script = JSON.parse(readFileSync(0, 'utf8')) as Script;
process.stderr.write(`arguments: ${JSON.stringify(process.argv.slice(2))}\n`);
process.stdout.write(script.lines.map((line) => `${line}\n`).join('') + (script.tail ?? ''), () =>
  process.exit(script.exit),
);
