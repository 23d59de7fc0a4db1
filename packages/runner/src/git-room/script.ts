import type { GitCall } from '../types.ts';

/**
 * What a shell is told for one call of git: its own folder, environment and standard input, then `mark` on both streams, with
 * the exit status on the first, behind everything that git wrote. `input` is an absolute path.
 */
export function scriptOf(
  { args, cwd, env, umask }: Pick<GitCall, 'args' | 'cwd' | 'env' | 'umask'>,
  input: string,
  mark: string,
): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
  const set = variables.length === 0 ? '' : `export ${variables.join(' ')} && `;
  const mask = umask === undefined ? '' : `umask ${umask.toString(8).padStart(4, '0')} && `;
  const run = `(cd ${quoted(cwd)} && ${set}${mask}exec git ${args.map(quoted).join(' ')}) <${quoted(input)}`;
  return `${run}\nstatus=$?; echo ${mark} $status; echo ${mark} >&2\n`;
}

/** One word of a shell, whatever is in it. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
