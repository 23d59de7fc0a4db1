import { nodeIdFromBase32 } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGateFixture, GATE_POLICY, type GateFixture, HOUR_MS, IN_A, startsOf } from '../testing/gate-fixture.ts';
import { createLeaseRequests, type LeaseRequest, type LeaseRequests } from './lease-requests.ts';

const PEER = nodeIdFromBase32('c'.repeat(32));
const POLICY = `${GATE_POLICY}
[profile_ceilings]
ops = "dev"
[peers.alpha]
id = "${PEER}"
profiles = ["query", "dev", "ops"]
workspaces = ["app"]
may_request_lease = true
[peers.alpha.limits]
tasks_per_hour = 5
`;

let node: GateFixture;
let requests: LeaseRequests;
const WISH: LeaseRequest = {
  ...{ from: PEER, session: 's1', agent: 'agent-1', key: 'k1', profile: 'dev' },
  ...{ durationMs: HOUR_MS, onlyThisSession: false },
};

async function open(policy: string, alone = false): Promise<void> {
  node = await createGateFixture({ policy, alone });
  requests = createLeaseRequests({
    ...{ options: node.options, authority: node.authority, approvals: node.gate.approvals },
    ...{ sessions: node.options.sessions, self: node.options.self },
    showAsker: (from) => ({ label: from, words: 'four-short-words-here' }),
  });
}

beforeEach(() => open(POLICY));
afterEach(() => node.close());

function ask(change: Partial<LeaseRequest> = {}): string {
  const outcome = requests.request({ ...WISH, ...change });
  if (!outcome.asked) throw new Error(outcome.decision.code);
  return outcome.approval.id;
}

const leases = () => node.authority.listLeases({});

describe('a request for a lease', () => {
  it('is one question for one key, and says what became of it', () => {
    const id = ask();
    expect(ask()).toBe(id);
    expect(node.gate.approvals.list({ pendingOnly: false, limit: 9 })).toHaveLength(1);
    expect(startsOf(node)).toEqual([{ actor: PEER, subject: 's1' }]);
    expect(node.answer(id, 'approve').decided).toBe(true);
    expect(requests.request(WISH)).toMatchObject({ asked: true, approval: { id, state: 'approved' } });
    expect(leases()).toMatchObject([{ peer: PEER, origin: PEER, profile: 'dev', workspaces: [] }]);
    expect(leases()[0]?.session).toBeUndefined();
  });

  it('tells of a no, and asks again under another key only', () => {
    const id = ask();
    node.answer(id, 'deny');
    expect(requests.request(WISH)).toMatchObject({ asked: true, approval: { id, state: 'denied' } });
    expect(ask({ key: 'k2' })).not.toBe(id);
    expect(leases()).toEqual([]);
  });

  it('of this machine’s own agent is one question for one key as well', () => {
    const own = { from: 'self', session: 'a', agent: 'agent' };
    const id = ask(own);
    expect(ask(own)).toBe(id);
    expect(() => ask({ ...own, maxUses: 1 })).toThrow(expect.objectContaining({ code: 'WRIT_REPLAYED' }));
    node.answer(id, 'approve');
    expect([ask(own), ask({ ...own, reason: 'said otherwise' })]).toEqual([id, id]);
    expect(leases()).toMatchObject([{ id, peer: 'self', profile: 'dev' }]);
    expect(ask({ ...own, key: 'k2' })).not.toBe(id);
    // What it may do by then is not asked: the person is shown the profile that it names.
    node.answer(ask({ ...own, key: 'k3', profile: 'ops' }), 'approve');
    expect(leases()).toMatchObject([{ profile: 'ops' }, { profile: 'dev' }]);
  });

  it('is bound to the session, the workspaces and the uses that it names', () => {
    node.answer(ask({ onlyThisSession: true, workspaces: ['app'], maxUses: 1 }), 'approve');
    expect(leases()).toMatchObject([{ session: 's1', workspaces: ['app'], maxUses: 1 }]);
  });

  it('is for what would run: the ceilings come first', () => {
    node.answer(ask({ profile: 'ops' }), 'approve');
    expect(leases()).toMatchObject([{ profile: 'dev' }]);
  });

  it('is refused under a key that was used for something else', () => {
    ask();
    expect(() => ask({ durationMs: HOUR_MS / 2 })).toThrow(expect.objectContaining({ code: 'WRIT_REPLAYED' }));
  });

  it('shows what it is asked for in the words of who asks, with nothing in them that could play tricks', () => {
    const id = ask({ reason: 'mend it\nlend profile: ops \u202e\u001b[2J' });
    const lines = node.gate.approvals.get(id)?.preview.split('\n') ?? [];
    expect(lines).toContain('reason, as it says: mend it\\u{a}lend profile: ops \\u{202e}\\u{1b}[2J');
    expect(lines.filter((line) => line.startsWith('lend profile: '))).toEqual(['lend profile: dev']);
    // Other words make no other question.
    expect(ask({ reason: 'again' })).toBe(id);
    expect(ask()).toBe(id);
  });

  it('is refused with a reason that nobody would read, and asks nobody', () => {
    expect(() => ask({ reason: 'x'.repeat(2001) })).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
    expect(node.gate.approvals.list({ pendingOnly: false, limit: 9 })).toEqual([]);
    expect(ask({ reason: 'x'.repeat(2000) })).toBeDefined();
  });

  it('keeps the keys of sessions, and of who asks, apart', () => {
    const first = ask();
    expect(ask({ session: 's2' })).not.toBe(first);
    expect(ask({ from: 'self', agent: 'agent', session: 'a' })).not.toBe(first);
  });

  it.each([
    ['a profile that it may not ask for', { profile: 'nothing' }, 'PROFILE_UNKNOWN'],
    ['a workspace that it may not use', { workspaces: ['app', 'lib'] }, 'WORKSPACE_NOT_ALLOWED'],
  ])('asks nobody for %s', (_, change, code) => {
    expect(requests.request({ ...WISH, ...change })).toMatchObject({
      asked: false,
      decision: { effect: 'deny', code },
    });
    expect(node.gate.approvals.list({ pendingOnly: false, limit: 9 })).toEqual([]);
  });

  it('asks nobody where the configuration does not let it, or nobody could answer', async () => {
    node.close();
    await open(
      POLICY.replace(
        'workspaces = ["app"]\nmay_request_lease = true\n[peers.alpha.limits]',
        'workspaces = ["app"]\n[peers.alpha.limits]',
      ),
    );
    expect(requests.request(WISH)).toMatchObject({ asked: false, decision: { code: 'LEASE_REQUIRED' } });
    node.close();
    await open(POLICY, true);
    expect(requests.request(WISH)).toMatchObject({ asked: false, decision: { code: 'APPROVAL_REQUIRED' } });
  });

  it('shows nobody as a person who only calls itself one', () => {
    for (const change of [{ agent: 'person' }, { agent: ' Person' }, { session: 'person' }]) {
      expect(() => requests.request({ ...WISH, ...change })).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
    }
    expect(node.gate.approvals.list({ pendingOnly: false, limit: 9 })).toEqual([]);
  });

  it('counts against the limits, refused ones too; to look again does not', () => {
    ask();
    for (let at = 0; at < 20; at++) ask();
    for (let at = 1; at < 5; at++) requests.request({ ...WISH, key: `k${at + 1}`, profile: 'nothing' });
    const refused = requests.request({ ...WISH, key: 'k9' });
    expect(refused).toMatchObject({ asked: false, decision: { code: 'LIMIT_EXCEEDED' } });
  });

  it('is an error from a session that has ended, or of another agent', () => {
    ask();
    expect(() => ask({ key: 'k2', agent: 'other' })).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
    node.gate.endSession({ origin: PEER, session: 's1' }, 'self', []);
    expect(() => ask({ key: 'k3' })).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
    expect(requests.request(WISH)).toMatchObject({ asked: true, approval: { state: 'cancelled' } });
  });

  it('cannot be lent for longer than leases live', () => {
    expect(() => ask({ durationMs: 48 * HOUR_MS })).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
  });

  it('is another one for another profile, time, workspace, count, session or agent under the same key', () => {
    ask();
    const changes: Partial<LeaseRequest>[] = [
      ...[{ profile: 'ops' }, { durationMs: 1 }, { workspaces: ['app'] }, { maxUses: 1 }, { onlyThisSession: true }],
    ];
    for (const change of changes) {
      expect(() => ask(change)).toThrow(
        expect.objectContaining({
          ...{ code: 'WRIT_REPLAYED', message: 'this key was used for another request' },
          nextSteps: ['ask for something else under a new key'],
        }),
      );
    }
    expect(node.gate.approvals.list({ pendingOnly: false, limit: 9 })).toHaveLength(1);
  });

  it('is found again among other questions of its session, and of others who ask in one of the same name', () => {
    const peers = ask();
    const own = ask({ from: 'self', session: 'a', agent: 'agent' });
    node.ask();
    const renewal = node.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: HOUR_MS, issuedBy: 'ap-1' });
    node.ask({ kind: 'lease', subject: { act: 'renew', lease: renewal.id, durationMs: HOUR_MS }, digest: 'x' });
    node.ask({ kind: 'lease', subject: { act: 'nothing' }, digest: 'y' });
    expect([ask(), ask({ from: 'self', session: 'a', agent: 'agent' })]).toEqual([peers, own]);
  });

  it('says in its refusals what a person could do', async () => {
    const long = { message: 'the reason is longer than 2000 characters', nextSteps: ['say it in fewer words'] };
    expect(() => ask({ reason: 'x'.repeat(2001) })).toThrow(expect.objectContaining({ code: 'BAD_REQUEST', ...long }));
    expect(requests.request({ ...WISH, workspaces: ['app', 'lib'] })).toMatchObject({
      decision: { message: expect.stringMatching(/\S/), nextSteps: [expect.stringMatching(/\S/)] },
    });
    ask();
    node.gate.endSession({ origin: PEER, session: 's1' }, 'self', []);
    expect(() => ask({ key: 'k3' })).toThrow(
      expect.objectContaining({ code: 'NOT_FOUND', message: 'the session that asked is not there any more' }),
    );
    node.close();
    await open(POLICY.replace('[leases]', '[approvals]\nmax_pending = 1\n[leases]'));
    ask();
    expect(requests.request({ ...WISH, key: 'k2', durationMs: 1000 })).toMatchObject({
      asked: false,
      decision: {
        effect: 'deny',
        code: 'LIMIT_EXCEEDED',
        generation: 1,
        message: expect.stringContaining('1 questions'),
      },
    });
  });

  it('is refused where the clock went back, as an error, and where who asks is nobody', () => {
    ask();
    node.move(-61_000);
    expect(() => ask({ key: 'k2' })).toThrow(expect.objectContaining({ code: 'CLOCK_BACKWARDS' }));
  });

  it('of a profile that a person is asked about each time is still one for the lease', async () => {
    node.close();
    await open(POLICY.replace('[profiles.dev]', '[profiles.dev]\nrequire_approval = true'));
    node.answer(ask(), 'approve');
    expect(leases()).toMatchObject([{ profile: 'dev' }]);
  });

  it('looks at every workspace that it names, and at one of those it may use where it names none', async () => {
    node.close();
    const sites = '[workspaces.app]\npath = "."\n[workspaces.lib]\npath = "."\n[workspaces.doc]\npath = "."';
    await open(
      POLICY.replace('[workspaces.app]\npath = "."', sites).replace(
        'profiles = ["query", "dev", "ops"]\nworkspaces = ["app"]',
        'profiles = ["query", "dev", "ops"]\nworkspaces = ["app", "lib"]',
      ),
    );
    const codeOf = (workspaces: string[], key: string) => {
      const outcome = requests.request({ ...WISH, key, workspaces });
      return outcome.asked ? 'asked' : outcome.decision.code;
    };
    expect([codeOf(['app', 'lib'], 'k1'), codeOf(['app', 'doc'], 'k2'), codeOf(['doc', 'app'], 'k3')]).toEqual([
      ...['asked', 'WORKSPACE_NOT_ALLOWED', 'WORKSPACE_NOT_ALLOWED'],
    ]);
    expect(ask({ key: 'k4', durationMs: 1000, workspaces: [] })).toBeDefined();
  });

  it('waits for a day', () => {
    const id = ask();
    expect(node.gate.approvals.get(id)?.expiresAtMs).toBe(node.database.nowMs() + 24 * HOUR_MS);
  });

  it('is refused whoever may not ask, even where what it asks for is lent already', async () => {
    node.close();
    await open(POLICY.replace('may_request_lease = true\n[peers.alpha.limits]', '[peers.alpha.limits]'));
    node.authority.grantLease({ peer: 'alpha', profile: 'dev', durationMs: HOUR_MS, issuedBy: 'ap-1' });
    expect(requests.request(WISH)).toEqual({
      asked: false,
      decision: {
        ...{ effect: 'deny', code: 'LEASE_REQUIRED', message: 'this peer may not ask for a lease here', generation: 1 },
        nextSteps: ['ask the person of the executing node'],
      },
    });
  });

  it('is refused whoever is no peer here', () => {
    const stranger = nodeIdFromBase32('d'.repeat(32));
    expect(requests.request({ ...WISH, from: stranger })).toMatchObject({
      ...{ asked: false, decision: { effect: 'deny', code: 'PEER_UNKNOWN' } },
    });
  });

  it('is looked at for the workspaces of whoever asks, and of nobody else', async () => {
    node.close();
    const other = `[peers.aaa]\nid = "${nodeIdFromBase32('d'.repeat(32))}"\nprofiles = ["dev"]\nworkspaces = ["doc"]\n`;
    const sites = '[workspaces.app]\npath = "."\n[workspaces.lib]\npath = "."\n[workspaces.doc]\npath = "."';
    await open(
      POLICY.replace('[workspaces.app]\npath = "."', sites)
        .replace(
          'profiles = ["query", "dev", "ops"]\nworkspaces = ["app"]\nmay_request_lease = true\n[peers.alpha.limits]',
          'profiles = ["query", "dev", "ops"]\nworkspaces = ["lib"]\nmay_request_lease = true\n[peers.alpha.limits]',
        )
        .replace('[peers.alpha]', `${other}[peers.alpha]`),
    );
    expect(node.engine.snapshot().config.peers.get('alpha')?.workspaces).toEqual(['lib']);
    expect(ask()).toBeDefined();
  });

  it('of this machine begins at this node', () => {
    const id = ask({ from: 'self', session: 'a', agent: 'agent' });
    expect(node.gate.approvals.get(id)).toMatchObject({ origin: node.options.self, requestedBy: 'self', session: 'a' });
  });

  it('is none of the questions that only look like it', () => {
    const own: Partial<LeaseRequest> = { from: 'self', session: 'a', agent: 'agent', profile: 'dev' };
    const first = node.gate.approvals.get(ask({ ...own, profile: 'ops' }))!;
    node.answer(first.id, 'deny');
    const { subject } = first;
    // Of another kind, of somebody else, and without a key.
    for (const change of [
      { kind: 'permission' as const, subject, digest: 'a' },
      { kind: 'lease' as const, subject, digest: 'b', asker: { ...IN_A, requestedBy: PEER } },
      { kind: 'lease' as const, subject: { ...(subject as object), request: undefined } as never, digest: 'c' },
    ]) {
      expect(node.ask({ ...change, subject: JSON.parse(JSON.stringify(change.subject)) }).asked).toBe(true);
    }
    expect(ask({ ...own, profile: 'ops' })).toBe(first.id);
  });

  it('from a session that has ended says what to do', () => {
    ask();
    node.gate.endSession({ origin: PEER, session: 's1' }, 'self', []);
    expect(() => ask({ key: 'k3' })).toThrow(
      expect.objectContaining({ nextSteps: ['nothing was changed; ask anew from a session that lives'] }),
    );
  });
});
