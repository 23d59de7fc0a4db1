import { absolutePath } from './paths.ts';
import type { CommandPlace, SimpleCommand } from './types.ts';

const MOVES: ReadonlySet<string> = new Set(['cd', 'chdir', 'pushd', 'popd']);

/**
 * Where the commands of a script run. After a change of the folder nobody can say which one a relative path means: `command cd` and
 * `time cd` are one as well. One `cd` to a folder that is written out leads there, or fails.
 */
export function placeOfScript(commands: readonly SimpleCommand[], place: CommandPlace): CommandPlace {
  const moving = commands.filter((command) => command.arguments.some(({ text }) => MOVES.has(text)));
  const [first] = moving;
  if (first === undefined) return place;
  const { cwd, near: _, ...nowhere } = place;
  const [name, folder, ...more] = first.arguments;
  const isOne = moving.length === 1 && name?.text === 'cd' && more.length === 0 && first.assignments.length === 0;
  if (!isOne || cwd === undefined || folder === undefined || /^[-+]/.test(folder.text)) return nowhere;
  const there = absolutePath(folder, place);
  return there === undefined ? nowhere : { ...nowhere, near: [cwd, there] };
}
