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
function nodePair(folder: string) {
  const writ = (...args: string[]): Promise<string> =>
    runToEnd(process.execPath, [PROGRAM, ...args], {
      env: { PATH: process.env.PATH, HOME: folder, XDG_RUNTIME_DIR: folder },
    });
  return {
    writ,
    alpha: join(folder, 'alpha'),
    up: () => writ('mesh', 'up', '--nodes', '2', '--dir', folder),
    down: () => writ('mesh', 'down', '--purge', '--yes', '--dir', folder),
  };
}

/** One hop, asked of a running node. */
export function delegateSubject(folder: string): Subject {
  const pair = nodePair(folder);
  let node: ControlClient | undefined;
  return {
    name: 'delegate',
    does: 'two nodes: delegate `true` over one hop and wait for its recorded outcome',
    async setup() {
      await pair.up();
      const run = join(pair.alpha, 'run');
      const token = readFileSync(join(run, 'host-token'), 'utf8').trim();
      node = createControlClient({ socketPath: join(run, 'control.sock'), token });
    },
    async once() {
      if (node === undefined) throw new Error('the nodes are not set up');
      await delegateTrue(node);
    },
    teardown: async () => void (await pair.down()),
  };
}

/** The same as a person types it, and what of it is the start of the program alone. */
export function commandLineSubjects(folder: string): { delegate: Subject; start: Subject } {
  const { writ, alpha, up, down } = nodePair(folder);
  return {
    delegate: {
      name: 'writ delegate',
      does: '`writ delegate --peer beta --profile query -- true`, one hop, to its verified outcome',
      setup: async () => void (await up()),
      once: async () =>
        void (await writ('--home', alpha, 'delegate', '--peer', 'beta', '--profile', 'query', '--', 'true')),
      teardown: async () => void (await down()),
    },
    start: {
      name: 'writ start',
      does: '`writ --version`',
      setup: async () => {},
      once: async () => void (await writ('--version')),
      teardown: async () => {},
    },
  };
}
