import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Ends what of these still runs, and takes all of them out of the list; resolves when none is left. */
export async function endChildren(children: ChildProcess[]): Promise<void> {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}
