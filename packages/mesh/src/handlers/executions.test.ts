import type { QuestionView, Wish } from '@writ/commands';
import { createSystemClock, createSystemRandom, digestJson, type Json } from '@writ/core';
import { issueWrit, type WritClaims } from '@writ/identity';
import { loadServices } from '@writ/wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wishToWire } from '../convert/wish.ts';
import { COMMAND } from '../testing/fake-commands.ts';
import { ending, openRawClient } from '../testing/raw-client.ts';
import { startTestNode, type TestNode } from '../testing/test-node.ts';

const RESTART: Wish = {
  kind: 'command',
  command: { argv: ['systemctl', 'restart', 'nginx'], profile: 'query', cwd: '/srv', stdin: 'AA==' },
};
const PLAN: Wish = {
  kind: 'plan',
  plan: {
    ...{ title: 'two steps', steps: [{ argv: ['a'] }, { argv: ['b', ''], cwd: '/' }], profile: 'query' },
    ...{ onlySteps: true, windowMs: 60_000, maxUses: 3 },
  },
};

describe('gated commands over the mesh', () => {
  let alpha: TestNode;
  let beta: TestNode;
  let gamma: TestNode;
  let count = 0;
  beforeAll(async () => {
    [alpha, beta, gamma] = await Promise.all([startTestNode('alpha'), startTestNode('beta'), startTestNode('gamma')]);
    for (const peer of [alpha, gamma]) {
      await beta.trust(peer);
      await peer.trust(beta);
    }
  }, 60_000);
  afterAll(() => Promise.all([alpha, beta, gamma].map((node) => node.close())));

  /** The wish as its writ is bound to it. */
  const bound = (wish: Wish): Json =>
    JSON.parse(
      JSON.stringify(
        wish.kind === 'command' ? { is: 'gated command 1', ...wish.command } : { is: 'gated plan 1', ...wish.plan },
      ),
    );
  const writ = (from: TestNode, wish: Wish, id: string, change: Partial<WritClaims> = {}): string => {
    const iat = Math.floor(createSystemClock().nowMs() / 1000);
    return issueWrit(from.identity, {
      ...{ v: 1, iss: from.id, aud: beta.id, task: id, origin: from.id, session: 's-1', agent: 'agent-1' },
      ...{ profile: 'query', depth: 0, iat, exp: iat + 600, generation: 1, request: digestJson(bound(wish)) },
      grant: { closure: ['inspect_status'], workspaces: [], network: 'deny', maxOutputBytes: 1000 },
      nonce: Buffer.from(createSystemRandom().bytes(16)).toString('hex'),
      ...change,
    });
  };
  const execute = (wish: Wish, writs?: (id: string) => readonly string[], from = alpha) => {
    count += 1;
    const id = `ask-${count}`;
    return from.clients.client(beta.id).execute({ id, wish, writs: writs?.(id) ?? [writ(from, wish, id)] });
  };

  it('keep their places when their caller hangs up, until their handler has come to an end', async () => {
    const raw = openRawClient(beta, gamma.identity);
    const ends: (() => void)[] = [];
    const { ask } = beta.commands;
    beta.commands.ask = (_caller, _wish, _key, signal) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => ends.push(() => reject(signal.reason)));
        begun += 1;
      });
    let begun = 0;
    const { path, requestSerialize } = loadServices().mesh.Execute;
    const hold = (id: string) => raw.hold(path, requestSerialize(wishToWire(id, RESTART, [writ(gamma, RESTART, id)])));
    try {
      for (let call = 1; call <= 4; call += 1) {
        const held = hold(`held-${call}`);
        await expect.poll(() => begun).toBe(call);
        held.cancel();
        await expect.poll(() => ends.length).toBe(call);
      }
      expect(ending(await hold('held-5').end)).toBe('RESOURCE_EXHAUSTED RATE_LIMITED');
      for (const end of ends) end();
      const sixth = hold('held-6');
      await expect.poll(() => begun).toBe(5);
      sixth.cancel();
      await expect.poll(() => ends.length).toBe(5);
      ends.at(-1)?.();
    } finally {
      beta.commands.ask = ask;
      raw.close();
    }
  });

  it.each([RESTART, PLAN])('arrive as they were asked for, as $kind, in the session of their writ', async (wish) => {
    await execute(wish);
    expect(beta.commands.asked.at(-1)).toMatchObject({
      wish,
      key: `ask-${count}`,
      caller: { kind: 'peer', id: alpha.id, chain: { last: { session: 's-1', origin: alpha.id, agent: 'agent-1' } } },
    });
  });

  it('are refused without a writ, with another’s, and with one that leads to somebody else', async () => {
    const before = beta.commands.asked.length;
    await expect(execute(RESTART, () => [])).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await expect(execute(RESTART, (id) => [writ(gamma, RESTART, id)])).rejects.toMatchObject({
      code: 'CHAIN_MISMATCH',
    });
    await expect(execute(RESTART, (id) => [writ(alpha, RESTART, id, { origin: gamma.id })])).rejects.toMatchObject({
      code: expect.stringMatching(/^(CHAIN_MISMATCH|WRIT_INVALID)$/),
    });
    await expect(execute(RESTART, (id) => [writ(alpha, RESTART, id, { aud: gamma.id })])).rejects.toMatchObject({
      code: 'CHAIN_MISMATCH',
    });
    expect(beta.commands.asked).toHaveLength(before);
  });

  it.each<[string, Wish]>([
    ['no program', { kind: 'command', command: { argv: [''] } }],
    ['a relative directory', { kind: 'command', command: { argv: ['true'], cwd: 'etc' } }],
    ['a NUL', { kind: 'command', command: { argv: ['true', '\0'] } }],
    ['no steps', { kind: 'plan', plan: { title: 'x', steps: [], onlySteps: true, windowMs: 1 } }],
    ['no title', { kind: 'plan', plan: { title: ' ', steps: [{ argv: ['true'] }], onlySteps: true, windowMs: 1 } }],
  ])('are refused with %s', async (_, wish) => {
    await expect(execute(wish)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('answer with what became of the wish, and keep to themselves what is about their own machine', async () => {
    expect(await execute(RESTART)).toEqual({ accepted: true, command: COMMAND });
    const question: QuestionView = {
      ...{ approval: 'ap-1', state: 'pending', why: 'waits', expiresAtMs: 9 },
      steps: [{ argv: ['a'], class: 'destructive', needs: ['destructive'], target: 'self/service/nginx' }],
    };
    beta.commands.answer = { accepted: true, question };
    expect(await execute(PLAN)).toEqual({ accepted: true, question });
    const refusal = { code: 'LEASE_REQUIRED', message: 'no lease', nextSteps: [] } as const;
    beta.commands.answer = { accepted: false, refusal, generation: 4 };
    expect(await execute(RESTART)).toEqual({ accepted: false, refusal, generation: 4 });
    const fault = { code: 'RUNNER_UNAVAILABLE', message: 'in /home/owner', nextSteps: ['look there'] } as const;
    beta.commands.answer = { accepted: false, refusal: fault, generation: 4 };
    expect(JSON.stringify(await execute(RESTART))).not.toContain('owner');
    beta.commands.answer = { accepted: true, command: COMMAND };
  });

  it('are watched, and cancelled, by whoever asked for them and by nobody else', async () => {
    beta.commands.owned.set(alpha.id, COMMAND);
    const done = { ...COMMAND, state: 'failed', outcome: { code: 'LOST', message: 'why', exitCode: 3 } } as const;
    beta.commands.told = [
      { kind: 'output', stream: 'stderr', atMs: 5, next: 17, data: Buffer.from('out\n') },
      { kind: 'output', stream: 'stdout', atMs: 6, next: 21, droppedBytes: 8 },
      { kind: 'state', command: { ...done, next: 'execution-2', startedAtMs: 3, endedAtMs: 4 } },
    ];
    const told: unknown[] = [];
    const client = alpha.clients.client(beta.id);
    for await (const item of client.watchExecution(COMMAND.id, 0, new AbortController().signal)) told.push(item);
    expect(told).toEqual(beta.commands.told);
    expect((await client.cancelExecution(COMMAND.id)).state).toBe('cancelled');
    const other = gamma.clients.client(beta.id);
    await expect(other.cancelExecution(COMMAND.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const watching = other.watchExecution(COMMAND.id, 0, new AbortController().signal);
    await expect(watching[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
