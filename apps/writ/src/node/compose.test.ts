import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ComposedNode, startComposedNode } from '../testing/composed-node.ts';
import { IDLE_THREAD } from '../testing/idle-thread.ts';

let node: ComposedNode;
beforeAll(async () => {
  node = await startComposedNode();
});
afterAll(() => node.remove());

it('does not start where it could look at no command, and leaves nothing open', async () => {
  const away = { ...IDLE_THREAD, script: new URL('file:///no/such/command-thread.js') };
  await expect(node.restart(undefined, away)).rejects.toMatchObject({
    code: 'INTERNAL',
    message: expect.stringContaining('/no/such/command-thread.js'),
    nextSteps: [expect.stringContaining('the installed files are whole'), 'writ down && writ up'],
  });
  await node.restart();
  expect(await node.control.call('node_status', {})).not.toHaveProperty('commands_problem');
});
