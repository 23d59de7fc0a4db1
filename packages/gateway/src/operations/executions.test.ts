import { describe, expect, it } from 'vitest';
import { createDispatcher } from '../dispatch.ts';
import { createGateway } from '../gateway.ts';
import { createFakeNode } from '../testing/fake-node.ts';
import type { Caller } from '../types.ts';

const HOST: Caller = { kind: 'host' };
const TASK: Caller = { kind: 'task', task: 't-root', session: { origin: 'o', id: 's', agent: 'a' } };

function createCalls() {
  const node = createFakeNode();
  const dispatcher = createDispatcher(createGateway(node.ports).registry, node.ports.scope);
  const signal = new AbortController().signal;
  return {
    node,
    async call(name: string, input: Record<string, unknown>, caller = HOST) {
      const prepared = dispatcher.prepare(name, input, caller);
      if (prepared.form === 'stream') throw new Error('a stream');
      return prepared.run({ caller, signal });
    },
    async stream(name: string, input: Record<string, unknown>) {
      const prepared = dispatcher.prepare(name, input, HOST);
      if (prepared.form === 'call') throw new Error('no stream');
      const items: unknown[] = [];
      for await (const item of prepared.run({ caller: HOST, signal })) items.push(item);
      return items;
    },
  };
}

describe('commands', () => {
  it('are asked for in the session of the call, whatever the call says of one', async () => {
    const { node, call } = createCalls();
    const wish = { to: 'Beta', argv: ['df'], profile: 'Query', cwd: '/srv', stdin: 'é', idempotency_key: 'k' };
    expect(await call('run', { ...wish, _session_id: 'other' })).toMatchObject({
      accepted: true,
      command: { execution: 'x-1' },
    });
    const command = { argv: ['df'], profile: 'query', cwd: '/srv', stdin: 'w6k=' };
    expect(node.commanded).toEqual([
      [
        { kind: 'host', session: { id: 's-1', agent: 'cli' } },
        { at: 'beta', wish: { kind: 'command', command }, key: 'k' },
        expect.any(AbortSignal),
      ],
    ]);
    await call('run', { to: 'self', argv: ['df'] }, TASK);
    expect(node.commanded[1]?.[0]).toEqual({ kind: 'task', task: 't-root' });
    for (const key of ['session', 'session_id', 'agent', 'origin']) {
      await expect(call('run', { ...wish, [key]: 'other' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    }
  });

  it('are asked for in plans, with the bounds of their window', async () => {
    const { node, call } = createCalls();
    const steps = [{ argv: ['a'] }, { argv: ['b'], cwd: '/' }];
    const plan = { to: 'self', title: 'both', steps, window: '30m', max_uses: 2, idempotency_key: 'k' };
    expect(await call('propose_plan', plan)).toMatchObject({
      ...{ accepted: true, approval: 'a-1', state: 'pending', why: 'waits for a person', expires_at_ms: 2 },
      steps: [{ work: 'df', class: 'read', needs: ['inspect_disk'] }],
    });
    expect(node.commanded[0]?.[1].wish).toEqual({
      kind: 'plan',
      plan: { title: 'both', steps, onlySteps: true, windowMs: 1_800_000, maxUses: 2 },
    });
    expect(node.commanded[0]?.[1].key).toBe('k');
    await expect(call('propose_plan', { ...plan, window: '0' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('are shown with what they wrote, in text that is safe to show', async () => {
    const { call } = createCalls();
    const view = await call('execution', { execution: 'x-1', wait_seconds: 1 });
    expect(view).toMatchObject({
      ...{ state: 'completed', finished: true, code: 'OK', exit_code: 0, timed_out: false, next_offset: 9 },
      ...{ output: 'out\\u{1b}[2J', work: "df '\\u{1b}[2J'" },
    });
    expect(await call('execution_show', { execution: 'x-1' })).toMatchObject({ argv: ['df', '\u001b[2J'] });
    expect(await call('list_executions', {})).toMatchObject({
      executions: [{ execution: 'x-1' }],
      sent: [{ execution: 'x-2', at: 'wn-gone', state: 'sent', work: "df '\\u{1b}[2J'", sent_at_ms: 1 }],
    });
    await expect(call('execution', { execution: 'x-2' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are streamed as states and output', async () => {
    const { stream } = createCalls();
    expect(await stream('execution_watch', { execution: 'x-1' })).toMatchObject([
      { kind: 'output', stream: 'stdout', encoding: 'utf8', data: 'out\u001b[2J', next: 9 },
      { kind: 'state', command: { execution: 'x-1', state: 'completed' } },
    ]);
  });
});
