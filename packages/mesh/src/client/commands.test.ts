import { createSystemClock, WritError } from '@writ/core';
import { loadServices } from '@writ/wire';
import { describe, expect, it } from 'vitest';
import type { createAsk } from './ask.ts';
import { createPeerCommands } from './commands.ts';
import type { Links } from './links.ts';

/** Commands at `beta`, every call to which ends so. */
function failing(error: WritError) {
  const ask = (async () => {
    throw error;
  }) as ReturnType<typeof createAsk>;
  const links = { status: () => [{ id: 'wn-b', label: 'beta' }] } as unknown as Links;
  return createPeerCommands({ links, mesh: loadServices().mesh, clock: createSystemClock() }, ask, 'wn-b');
}

const WISH = { kind: 'command', command: { argv: ['true'] } } as const;

describe('gated commands at a peer', () => {
  it('are said to be unknown to an older version that has no such method', async () => {
    const commands = failing(new WritError('BAD_REQUEST', 'in any words', { details: { reason: 'no-method' } }));
    const refusal = {
      code: 'BAD_REQUEST',
      message: '`beta` runs a version of Writ that knows no gated commands',
      nextSteps: expect.arrayContaining(['or hand it a task: writ delegate --peer beta']),
    };
    await expect(commands.execute({ id: 'x', wish: WISH, writs: [] })).rejects.toMatchObject(refusal);
    await expect(commands.cancelExecution('x')).rejects.toMatchObject(refusal);
  });

  it('say every other failure as it is', async () => {
    const error = new WritError('BAD_REQUEST', 'argv: git does not implement the method, there is no such method');
    await expect(failing(error).execute({ id: 'x', wish: WISH, writs: [] })).rejects.toBe(error);
  });
});
