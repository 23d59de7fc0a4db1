import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createFakeClock } from '@writ/testkit/clock';
import { afterEach, expect, it } from 'vitest';
import { readEnvironment } from '../env.ts';
import { resolveHome } from '../home.ts';
import { endChildren } from '../testing/end-children.ts';
import { untilServing } from './start-node.ts';

const home = resolveHome(readEnvironment(), '/nowhere');
const children: ChildProcess[] = [];
afterEach(() => endChildren(children));

function start(program: string): ChildProcess {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  children.push(child);
  return child;
}

it('is told by the first message of a node, or by its end before one', async () => {
  const clock = createFakeClock(0);
  const serving = start(`process.send({ ready: { pid: 7, id: 'wn-x' } }); setInterval(() => undefined, 1000)`);
  expect(await untilServing(home, serving, clock)).toEqual({ pid: 7, id: 'wn-x' });
  expect(serving.connected).toBe(false);
  await expect(untilServing(home, start('process.exit(1)'), clock)).rejects.toMatchObject({ code: 'INTERNAL' });
});

it('ends with where to look for a node that says nothing', async () => {
  const clock = createFakeClock(0);
  const hanging = start('setInterval(() => undefined, 1000)');
  await once(hanging, 'spawn');
  const started = untilServing(home, hanging, clock);
  clock.advance(60_000);
  await expect(started).rejects.toMatchObject({
    code: 'TIMED_OUT',
    message: `the node (pid ${hanging.pid}) does not serve after 60 s`,
    nextSteps: [`look into ${home.logFile}`, `end it: kill ${hanging.pid}`],
  });
  expect(hanging.connected).toBe(false);
});
