import { expect, it } from 'vitest';
import { openClientWorld } from './world.ts';

it('a command of a client is told of before it runs, with how long it may take: one that hangs says nothing', async () => {
  const told: string[] = [];
  const world = openClientWorld({ all: process.env, homeDir: '/nowhere' }, (text) => void told.push(text));
  const running = world.execute([process.execPath, '-e', 'process.stdout.write("done")']);
  expect(told).toEqual([expect.stringMatching(/^running .*node -e '.*' \(1m at most\)$/)]);
  expect(await running).toEqual({ exitCode: 0, said: 'done' });
});
