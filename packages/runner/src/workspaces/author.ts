import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunSpec } from '../types.ts';

/**
 * Who git says made a commit where a task says nothing else: its runner, and its id at a host that cannot be. It stands in
 * the configuration of the task's own HOME, so that the repository's, and what the task sets, come before it.
 */
export async function writeAuthor(home: string, { runner, task }: Pick<RunSpec, 'runner' | 'task'>): Promise<void> {
  const lines = [
    '[user]',
    `\tname = ${JSON.stringify(runner.name)}`,
    `\temail = ${JSON.stringify(`${task}@writ.invalid`)}`,
  ];
  await writeFile(join(home, '.gitconfig'), `${lines.join('\n')}\n`, { mode: 0o600 });
}
