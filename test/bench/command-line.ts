import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { commandLineSubjects } from './delegate-subject.ts';
import { measure } from './measure.ts';
import { runToEnd } from './process.ts';
import type { Comparison } from './report.ts';
import { sshSubjects } from './ssh-world.ts';
import type { Subject } from './subject.ts';

const GOAL_3: readonly Comparison[] = [
  { of: 'writ delegate', over: 'node -e 0', atMost: 1.35 },
  { of: 'writ delegate', over: 'ssh-cold', atMost: 0.4 },
];

const node: Subject = {
  name: 'node -e 0',
  does: 'a Node.js that does nothing',
  setup: async () => {},
  once: async () => void (await runToEnd(process.execPath, ['-e', '0'])),
  teardown: async () => {},
};

/** Goal 3: a delegated `true` from the shell against a Node.js that does nothing, and against ssh. */
export function benchCommandLine(rounds: number, folder: string) {
  const below = (name: string): string => {
    mkdirSync(join(folder, name), { mode: 0o700 });
    return join(folder, name);
  };
  const { warm, cold } = sshSubjects(below('ssh'));
  const { delegate, start } = commandLineSubjects(below('mesh'));
  return measure({ goal: 3, subjects: [delegate, node, start, warm, cold], comparisons: GOAL_3, rounds });
}
