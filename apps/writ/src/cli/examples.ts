import type { EventEmitter } from 'node:events';
import type { Command } from 'commander';

/** What stands before each command of an example. */
const PROMPT = '  $ ';

/** Text behind the help of a command: calls that can be typed as they stand, and what else there is to say. */
export function examples(calls: readonly string[], more?: string): string {
  const head = calls.length === 1 ? 'example:' : 'examples:';
  const lines = ['', head, ...calls.map((call) => `${PROMPT}${call}`), ''];
  return [...lines, ...(more === undefined ? [] : [more, ''])].join('\n');
}

/** The calls that the help of a command shows. */
export function examplesOf(command: Command): readonly string[] {
  let text = '';
  const write = (part: string): void => {
    text += part;
  };
  // What commander prints behind a help listens to this; it is an emitter, which its types do not say.
  (command as unknown as EventEmitter).emit('afterHelp', { error: false, command, write });
  return text
    .split('\n')
    .filter((line) => line.startsWith(PROMPT))
    .map((line) => line.slice(PROMPT.length));
}
