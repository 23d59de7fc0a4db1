import { isWritError, type Json } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGateFixture, GATE_POLICY, type GateFixture, HOUR_MS, IN_A, OTHER_ID } from '../testing/gate-fixture.ts';
import { createLeaseKind, type LeaseWish, leaseQuestion, ownLeaseWish, readWish } from './lease-kind.ts';

const GRANT = { peer: 'self', profile: 'ops', durationMs: HOUR_MS, maxUses: 2 } as const;
const WISH: LeaseWish = { act: 'grant', grant: GRANT };

describe('a lease that is asked for', () => {
  let at: GateFixture;
  const question = (wish: LeaseWish) =>
    leaseQuestion(at.options, wish, { asker: IN_A, lifetimeMs: HOUR_MS }, { label: 'me', words: 'a-b-c-d' });
  const ask = (wish: LeaseWish): string => {
    const outcome = at.ask(question(wish));
    if (!outcome.asked) throw new Error(outcome.refusal.message);
    return outcome.approval.id;
  };
  const codeOf = (fn: () => unknown): string => {
    try {
      fn();
      return 'none';
    } catch (error) {
      return isWritError(error) ? error.code : String(error);
    }
  };
  beforeEach(async () => {
    at = await createGateFixture();
  });
  afterEach(() => at.close());

  it('is lent by the yes, from that moment on, by who said it, for what was shown', () => {
    const id = ask(WISH);
    expect(at.gate.approvals.get(id)?.preview.split('\n')).toEqual([
      'asked by: me (a-b-c-d)',
      'agent: agent',
      `session: a of ${IN_A.origin}`,
      'lend profile: ops',
      expect.stringMatching(/^which holds: destructive, edit_repo, .*manage_services, .*shell$/),
      'to peer: self',
      'for work of: self',
      'session: every one',
      'workspaces: every one that the peer has',
      'for: 1h from the yes on',
      'uses: 2',
    ]);
    at.move(HOUR_MS / 2);
    at.answer(id, 'approve');
    expect(at.authority.listLeases({})).toMatchObject([
      { profile: 'ops', issuedBy: 'ap-1', maxUses: 2, expiresAtMs: at.database.nowMs() + HOUR_MS },
    ]);
  });

  it('ends when it was shown to end, however late the yes comes, and is not lent at all once that has passed', () => {
    const endsAtMs = at.database.nowMs() + HOUR_MS;
    const shown = (id: string) => at.gate.approvals.get(id)?.preview;
    const until = (end: number) => ask({ act: 'grant', grant: { peer: 'self', profile: 'ops', endsAtMs: end } });
    const [first, second] = [until(endsAtMs), until(at.database.nowMs() + 120_000)];
    expect(shown(first)).toContain(`\nuntil: ${new Date(endsAtMs).toISOString()}, whenever the yes is given\n`);
    at.move(60_000);
    at.answer(first, 'approve');
    expect(at.authority.listLeases({})).toMatchObject([{ id: first, expiresAtMs: endsAtMs }]);
    const renewal = ask({ act: 'renew', lease: first, endsAtMs: endsAtMs + HOUR_MS });
    expect(shown(renewal)).toContain(`\nuntil: ${new Date(endsAtMs + HOUR_MS).toISOString()}, `);
    at.move(60_000);
    at.answer(renewal, 'approve');
    expect(at.authority.listLeases({})).toMatchObject([{ expiresAtMs: endsAtMs + HOUR_MS }]);
    expect(at.answer(second, 'approve')).toMatchObject({ check: 'policy', refusal: { code: 'EXPIRED' } });
    expect(at.answer(second, 'deny').decided).toBe(true);
  });

  it('is asked for whole where it would be renewed', () => {
    at.answer(ask(WISH), 'approve');
    const [lease] = at.authority.listLeases({});
    const id = ask({ act: 'renew', lease: lease?.id ?? '', durationMs: 2 * HOUR_MS });
    expect(at.gate.approvals.get(id)?.preview.split('\n').slice(3)).toEqual([
      `renew lease: ${lease?.id}`,
      'lend profile: ops',
      expect.stringMatching(/^which holds: destructive/),
      ...['to peer: self', 'for work of: self', 'session: every one', 'workspaces: every one that the peer has'],
      ...['for: 2h from the yes on', 'uses: 2', 'used so far: 0'],
    ]);
  });

  it('names workspaces or none: an empty list is not read as every one', () => {
    const grant = { peer: 'self', profile: 'ops', durationMs: HOUR_MS, workspaces: [] };
    expect(codeOf(() => ask({ act: 'grant', grant }))).toBe('BAD_REQUEST');
    expect(codeOf(() => at.authority.grantLease({ ...grant, issuedBy: 'ap-1' }))).toBe('BAD_REQUEST');
  });

  it('is not lent by a no, nor by nobody', () => {
    at.answer(ask(WISH), 'deny');
    ask(WISH);
    at.move(HOUR_MS);
    at.gate.approvals.sweep();
    expect(at.authority.listLeases({})).toEqual([]);
  });

  it('has to be asked anew where the profile holds something else by then', async () => {
    const id = ask(WISH);
    await at.engine.reload(GATE_POLICY.replace('"manage_services", ', ''), { acceptWidening: true });
    expect(at.answer(id, 'approve')).toMatchObject({ check: 'digest', refusal: { code: 'CHANGED_SINCE_APPROVAL' } });
  });

  it('is refused with the reason where it cannot be lent any more, and can be denied then', async () => {
    const id = ask(WISH);
    const without = GATE_POLICY.replaceAll('"ops", ', '').replace('profiles.ops', 'profiles.other');
    await at.engine.reload(without, { acceptWidening: true });
    expect(at.answer(id, 'approve')).toMatchObject({ check: 'policy', refusal: { code: 'PROFILE_UNKNOWN' } });
    expect(at.answer(id, 'deny').decided).toBe(true);
  });

  it('cannot be read where it says no end, or two', () => {
    const { durationMs, ...endless } = GRANT;
    type Span = Readonly<Record<string, number>>;
    const wishes = (span: Span): readonly Json[] => [
      { act: 'grant', grant: { ...endless, ...span } },
      { act: 'renew', lease: 'l-1', ...span },
    ];
    for (const span of [{}, { durationMs, endsAtMs: 5 }] as Span[]) {
      for (const subject of wishes(span)) expect(readWish({ subject })).toBeUndefined();
    }
    for (const span of [{ durationMs }, { endsAtMs: 5 }] as Span[]) {
      for (const subject of wishes(span)) expect(readWish({ subject })).toStrictEqual(subject);
    }
  });

  it.each([0, -1, 0.5, Number.NaN, 100 * 365 * 24 * HOUR_MS])('is no question for %s ms', (durationMs) => {
    expect(codeOf(() => question({ act: 'grant', grant: { ...GRANT, durationMs } }))).toBe('BAD_REQUEST');
  });

  it('is renewed by a yes, under its own maximum', () => {
    const lease = at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: HOUR_MS, issuedBy: 'ap-1' });
    const renewal = (durationMs: number): LeaseWish => ({ act: 'renew', lease: lease.id, durationMs });
    expect(codeOf(() => question(renewal(25 * HOUR_MS)))).toBe('BAD_REQUEST');
    expect(codeOf(() => question(renewal(HOUR_MS)))).toBe('BAD_REQUEST');
    expect(codeOf(() => question(renewal(0)))).toBe('BAD_REQUEST');
    expect(codeOf(() => question({ act: 'renew', lease: 'none', durationMs: HOUR_MS }))).toBe('NOT_FOUND');
    at.answer(ask(renewal(24 * HOUR_MS)), 'approve');
    expect(at.authority.listLeases({})).toMatchObject([
      { id: lease.id, expiresAtMs: lease.maxExpiresAtMs, version: 2 },
    ]);
  });

  it('is not renewed once it is dead, whatever a person says then', () => {
    const lease = at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: HOUR_MS, issuedBy: 'ap-1' });
    const id = ask({ act: 'renew', lease: lease.id, durationMs: 2 * HOUR_MS });
    at.authority.revokeLease(lease.id, 'ap-1');
    expect(at.answer(id, 'approve')).toMatchObject({ check: 'policy', refusal: { code: 'LEASE_REVOKED' } });
    expect(codeOf(() => at.authority.renewLease(lease.id, { durationMs: 2 * HOUR_MS }, 'ap-1'))).toBe('LEASE_REVOKED');
    const other = at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: HOUR_MS, issuedBy: 'ap-1' });
    at.move(HOUR_MS);
    expect(codeOf(() => at.authority.renewLease(other.id, { durationMs: 2 * HOUR_MS }, 'ap-1'))).toBe('EXPIRED');
    at.authority.revokeLease(other.id, 'ap-1');
    at.move(-61_000);
    expect(codeOf(() => at.authority.renewLease(other.id, { durationMs: 2 * HOUR_MS }, 'ap-1'))).toBe(
      'CLOCK_BACKWARDS',
    );
  });

  it('can be wished by an asker for itself alone, where it may ask', () => {
    const { config } = at.engine.snapshot();
    const wish = { profile: 'ops', durationMs: HOUR_MS, onlyThisSession: true };
    expect(ownLeaseWish(config, IN_A, wish)).toEqual({
      wish: {
        act: 'grant',
        grant: { peer: 'self', origin: 'self', session: 'a', profile: 'ops', durationMs: HOUR_MS },
      },
    });
    expect(ownLeaseWish(config, { ...IN_A, requestedBy: OTHER_ID }, wish)).toMatchObject({
      refusal: { code: 'LEASE_REQUIRED' },
    });
  });

  it('differs from every other wish by its digest, and is the same for the same words', () => {
    const lease = at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: HOUR_MS, issuedBy: 'ap-1' });
    const changes = [
      { profile: 'dev' },
      { durationMs: 2 * HOUR_MS },
      { workspaces: ['app'] },
      { maxUses: 3 },
      { session: 'a' },
    ];
    const wishes: LeaseWish[] = [
      WISH,
      ...changes.map((change): LeaseWish => ({ act: 'grant', grant: { ...GRANT, ...change } })),
      { act: 'renew', lease: lease.id, durationMs: 2 * HOUR_MS },
      { act: 'renew', lease: lease.id, durationMs: 3 * HOUR_MS },
    ];
    const digests = wishes.map((wish) => question(wish).digest);
    expect(new Set(digests).size).toBe(wishes.length);
    expect(question(WISH).digest).toBe(digests[0]);
  });

  it('shows the workspaces, the session and the count that it names, and no end of uses where there is none', () => {
    const { maxUses: _, ...plain } = WISH.act === 'grant' ? WISH.grant : { maxUses: 0 };
    const preview = (change: object) => {
      const asked = question({
        act: 'grant',
        grant: { ...plain, ...change } as typeof plain & { peer: string; profile: string; durationMs: number },
      });
      return asked.preview.shown ? asked.preview.text.split('\n') : [];
    };
    expect(preview({ workspaces: ['app'], session: 'a' })).toEqual(
      expect.arrayContaining(['workspaces: app', 'session: a', 'uses: unlimited', 'for: 1h from the yes on']),
    );
    expect(question(WISH)).toMatchObject({ kind: 'lease', scopes: ['once'], subject: WISH, lifetimeMs: HOUR_MS });
  });

  it('shows a peer by the label that it has here and its whole id', async () => {
    at.close();
    const peer = `\n[peers.alpha]\nid = "${OTHER_ID}"\nprofiles = ["ops", "dev"]\nworkspaces = ["app"]\n`;
    at = await createGateFixture({ policy: `${GATE_POLICY}${peer}` });
    const asked = question({ act: 'grant', grant: { peer: 'alpha', profile: 'ops', durationMs: HOUR_MS } });
    expect(asked.preview.shown && asked.preview.text).toContain(
      `to peer: alpha (${OTHER_ID})\nfor work of: alpha (${OTHER_ID})`,
    );
  });

  it('is renewed by whoever said yes, with a row of that', () => {
    const lease = at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: HOUR_MS, issuedBy: 'person' });
    at.answer(ask({ act: 'renew', lease: lease.id, durationMs: 2 * HOUR_MS }), 'approve');
    expect(at.database.auditTail(9)).toContainEqual(
      expect.objectContaining({ action: 'lease.renewed', actor: 'ap-1', subject: lease.id }),
    );
  });

  it('whose stored wish cannot be read is refused, and can be denied', () => {
    const id = ask(WISH);
    for (const subject of ['{}', '7', '{"act":"grant"}', '{"act":"grant","grant":{"peer":"self","profile":7}}']) {
      at.database.withWriteTx((tx) => tx.prepare('UPDATE approval SET subject = ? WHERE id = ?').run(subject, id));
      expect(at.answer(id, 'approve')).toMatchObject({
        check: 'policy',
        refusal: { code: 'POLICY_ERROR', message: 'the wish cannot be read', nextSteps: ['ask anew'] },
      });
    }
    expect(at.answer(id, 'deny').decided).toBe(true);
    expect(at.authority.listLeases({})).toEqual([]);
  });

  it('is refused with the words of what keeps it from being lent', async () => {
    const id = ask(WISH);
    await at.engine.reload(GATE_POLICY.replace('max = "24h"', 'max = "30m"'), { acceptWidening: true });
    expect(at.answer(id, 'approve')).toMatchObject({
      check: 'policy',
      refusal: {
        ...{ code: 'BAD_REQUEST', message: 'a lease of 1h is longer than 30m, the most here' },
        nextSteps: ['ask for at most 30m, or raise `max` in [leases]'],
      },
    });
  });

  it('is not lent where something else than a refusal fails', () => {
    const id = ask(WISH);
    const broken: typeof at.options = {
      ...at.options,
      engine: {
        ...at.engine,
        snapshot: () => {
          throw new Error('no memory');
        },
      },
    };
    const kind = createLeaseKind(broken, () => {});
    const approval = at.gate.approvals.get(id)!;
    expect(() => at.database.withReadTx((tx) => kind.refusal(tx, approval))).toThrow('no memory');
  });

  it.each([
    ['this machine’s agent', 'self'],
    ['this peer', OTHER_ID],
  ])('is not wished by %s where the configuration does not let it', async (who, requestedBy) => {
    at.close();
    const peer = `\n[peers.alpha]\nid = "${OTHER_ID}"\nprofiles = ["ops"]\nworkspaces = ["app"]\n`;
    at = await createGateFixture({ policy: `${GATE_POLICY.replace('may_request_lease = true', '')}${peer}` });
    const wish = { profile: 'ops', durationMs: HOUR_MS, onlyThisSession: true };
    expect(ownLeaseWish(at.engine.snapshot().config, { ...IN_A, requestedBy }, wish)).toEqual({
      refusal: {
        ...{ code: 'LEASE_REQUIRED', message: `${who} may not ask for a lease here` },
        nextSteps: ['ask the person of the executing node'],
      },
    });
  });

  it('is wished by a peer for its own name and the origin that it asks for, for every session where it says so', async () => {
    at.close();
    const peer = `\n[peers.alpha]\nid = "${OTHER_ID}"\nprofiles = ["ops"]\nworkspaces = ["app"]\nmay_request_lease = true\n`;
    at = await createGateFixture({ policy: `${GATE_POLICY.replace('may_request_lease = true', '')}${peer}` });
    const asker = { ...IN_A, requestedBy: OTHER_ID };
    const wish = { profile: 'ops', durationMs: HOUR_MS, onlyThisSession: false };
    expect(ownLeaseWish(at.engine.snapshot().config, asker, wish)).toEqual({
      wish: {
        act: 'grant',
        grant: { peer: OTHER_ID, origin: IN_A.origin, profile: 'ops', durationMs: HOUR_MS },
      },
    });
  });
});
