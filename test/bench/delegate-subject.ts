import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ControlClient, createControlClient } from '@writ/gateway/client';
import { runToEnd } from './process.ts';
import type { Subject } from './subject.ts';

const PROGRAM = join(process.cwd(), 'apps/writ/bin/writ.js');
const WAIT_SECONDS = 30;

/** Hands `true` to the other node and waits for its outcome, over the control socket as the command line does. */
async function delegateTrue(node: ControlClient): Promise<void> {
  const answer = await node.call('delegate', { to: 'beta', argv: ['true'], profile: 'query' });
  if (!answer.accepted) throw new Error(`the delegation was refused: ${JSON.stringify(answer)}`);
  const task = await node.call('wait', { task: answer.task, timeout_seconds: WAIT_SECONDS });
  if (task.state !== 'completed') throw new Error(`the task ended as ${task.state}: ${JSON.stringify(task)}`);
}

/** Two real nodes in processes of their own, paired through a real invite; their homes lie below `folder`. */
export function delegateSubject(folder: string): Subject {
  let node: ControlClient | undefined;
  const writ = (...args: string[]): Promise<string> =>
    runToEnd(process.execPath, [PROGRAM, ...args], { env: { PATH: process.env.PATH, HOME: folder } });
  return {
    name: 'delegate',
    does: 'two nodes: delegate `true` over one hop and wait for its recorded outcome',
    async setup() {
      await writ('mesh', 'up', '--nodes', '2', '--dir', folder);
      const run = join(folder, 'alpha', 'run');
      const token = readFileSync(join(run, 'host-token'), 'utf8').trim();
      node = createControlClient({ socketPath: join(run, 'control.sock'), token });
    },
    async once() {
      if (node === undefined) throw new Error('the nodes are not set up');
      await delegateTrue(node);
    },
    async teardown() {
      await writ('mesh', 'down', '--purge', '--yes', '--dir', folder);
    },
  };
}
