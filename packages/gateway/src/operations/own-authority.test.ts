import { describe, expect, it } from 'vitest';
import type { OperationOutput } from '../client/types.ts';
import { createGateway } from '../gateway.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { partial } from '../testing/fake-core.ts';
import { FAKE_APPROVAL } from '../testing/fake-gate.ts';
import { createFakeNode } from '../testing/fake-node.ts';
import type { Caller } from '../types.ts';

type Approvals = ReturnType<GatewayPorts['gate']['approvals']['list']>;
type Windows = ReturnType<GatewayPorts['gate']['windows']['list']>;

const ORIGIN = 'wn-alpha';
const WINDOW: Windows[number] = {
  ...{ id: 'w', kind: 'assent', origin: ORIGIN, session: 's1', agent: 'fixer', profile: 'ops', approval: 'a-own' },
  ...{ openedAtMs: 1, expiresAtMs: 9_999_999_999_999, uses: 0, version: 1 },
};
/** Questions of two sessions of one id at different origins, of two sessions of one agent, and of tasks in one of them. */
const APPROVALS: Approvals = (
  [
    { id: 'a-own', session: 's1' },
    { id: 'a-said', session: 's1', state: 'approved', decidedBy: 'ap-1', decidedAtMs: 5, scope: 'session' },
    { id: 'a-late', session: 's1', expiresAtMs: 1 },
    { id: 'a-other', session: 's2' },
    { id: 'a-foreign', session: 's1', origin: 'wn-beta' },
    { id: 'a-task', session: 's1', task: 't1' },
    { id: 'a-sibling', session: 's1', task: 't2' },
  ] as const
).map((more) => ({ ...FAKE_APPROVAL, origin: ORIGIN, agent: 'fixer', ...more }));
const WINDOWS: Windows = [
  WINDOW,
  { ...WINDOW, id: 'w-other', session: 's2' },
  { ...WINDOW, id: 'w-foreign', origin: 'wn-beta' },
  { ...WINDOW, id: 'w-agent', agent: 'another' },
  { ...WINDOW, id: 'w-task', approval: 'a-task', workspace: 'app' },
  { ...WINDOW, id: 'w-sibling', approval: 'a-sibling' },
];

const session = { origin: ORIGIN, id: 's1', agent: 'fixer' };
const agent: Caller = { kind: 'host', session };
const task: Caller = { kind: 'task', task: 't1', session };

function createRegistry() {
  const { ports } = createFakeNode();
  const gate: GatewayPorts['gate'] = {
    ...ports.gate,
    approvals: partial<GatewayPorts['gate']['approvals']>({
      get: (id) => APPROVALS.find((one) => one.id === id),
      list: ({ pendingOnly, key, task: whose, limit }) =>
        APPROVALS.filter((one) => !pendingOnly || one.state === 'pending')
          .filter((one) => key === undefined || (one.origin === key.origin && one.session === key.session))
          .filter((one) => whose === undefined || one.task === whose)
          .slice(0, limit),
    }),
    windows: partial<GatewayPorts['gate']['windows']>({
      list: ({ key }) =>
        WINDOWS.filter((one) => key === undefined || (one.origin === key.origin && one.session === key.session)),
    }),
  };
  return createGateway({ ...ports, gate }).registry;
}

async function call<N extends 'list_approvals' | 'list_windows'>(
  name: N,
  caller: Caller,
  input: Record<string, unknown> = {},
): Promise<OperationOutput<N>> {
  const operation = createRegistry().find(name, caller)?.operation;
  if (operation === undefined || 'item' in operation) throw new Error(`${name} is not offered`);
  const context = { caller, signal: new AbortController().signal };
  return (await operation.run(operation.input.parse(input), context)) as OperationOutput<N>;
}

const asked = async (caller: Caller, input = {}) =>
  (await call('list_approvals', caller, input)).approvals.map(({ id }) => id);
const open = async (caller: Caller) => (await call('list_windows', caller)).windows.map(({ id }) => id);

describe('what an agent sees of authority', () => {
  it('is what its own session asked, of its own origin, and waits in it', async () => {
    expect(await asked(agent)).toEqual(['a-own', 'a-task', 'a-sibling']);
    expect(await asked(agent, { all: true })).toEqual(['a-own', 'a-said', 'a-late', 'a-task', 'a-sibling']);
    expect(await asked({ kind: 'host', session: { ...session, id: 's2' } })).toEqual(['a-other']);
    expect(await asked(agent, { limit: 1 })).toEqual(['a-own']);
  });

  it('is what runs without asking for it in this session, as this agent', async () => {
    expect((await call('list_windows', agent)).windows.slice(0, 2)).toEqual([
      expect.not.objectContaining({ workspace: expect.anything() }),
      expect.objectContaining({ id: 'w-task', workspace: 'app' }),
    ]);
    expect(await open(agent)).toEqual(['w', 'w-task', 'w-sibling']);
    expect(await open({ kind: 'host', session: { ...session, id: 's2' } })).toEqual(['w-other']);
  });

  it('is nothing without a session', async () => {
    expect([await asked({ kind: 'host' }), await open({ kind: 'host' })]).toEqual([[], []]);
  });

  it('names no session and no approver', async () => {
    const { approvals } = await call('list_approvals', agent, { all: true });
    const { windows } = await call('list_windows', agent);
    expect(JSON.stringify([approvals, windows])).not.toMatch(/"session":|ap-1|wn-/);
    expect(approvals[1]).toMatchObject({ state: 'approved', scope: 'session', decided_at_ms: 5 });
  });
});

describe('what a task sees of authority', () => {
  it('is what it asked itself, and what an answer to that opened, whatever else its session has', async () => {
    expect([await asked(task), await open(task)]).toEqual([['a-task'], ['w-task']]);
    const other: Caller = { kind: 'task', task: 't3', session };
    expect([await asked(other, { all: true }), await open(other)]).toEqual([[], []]);
  });
});
