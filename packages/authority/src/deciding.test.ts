import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ALPHA, askFor, createFixture, type Fixture, FROM_ALPHA, GAMMA, GRANT } from './testing/lease-fixture.ts';
import type { Ask, Subject } from './types.ts';

describe('decide', () => {
  let at: Fixture;
  const decide = (ask: Ask, subject: Subject = FROM_ALPHA) =>
    at.database.withWriteTx((tx) => at.authority.decide(tx, subject, ask));
  beforeEach(async () => {
    at = await createFixture();
  });
  afterEach(() => at.database.close());

  it('allows what needs no lease, and what a live lease covers', () => {
    expect(decide(askFor('query')).effect).toBe('allow');
    expect(decide(askFor('repo-dev')).code).toBe('LEASE_REQUIRED');
    const lease = at.authority.grantLease(GRANT);
    expect(decide(askFor('repo-dev'))).toMatchObject({ effect: 'allow', leaseId: lease.id });
  });

  it('counts every request, refused ones too, until the limit', () => {
    const codes = [askFor('repo-dev'), askFor('nothing'), askFor('query'), askFor('query')].map(
      (ask) => decide(ask).code,
    );
    expect(codes).toEqual(['LEASE_REQUIRED', 'PROFILE_UNKNOWN', 'OK', 'LIMIT_EXCEEDED']);
    at.move(3_600_000);
    expect(decide(askFor('query')).code).toBe('OK');
  });

  it('counts under one name however the id is written', () => {
    const shouted = { ...FROM_ALPHA, from: ALPHA.toUpperCase() };
    for (let i = 0; i < 3; i++) decide(askFor('query', { chain: [shouted.from] }), shouted);
    expect(decide(askFor('query')).code).toBe('LIMIT_EXCEEDED');
  });

  it('refuses more tasks at once than the limit', () => {
    at.live.set(ALPHA, 2);
    expect(decide(askFor('query')).code).toBe('LIMIT_EXCEEDED');
  });

  it('writes an audit row for each decision, in its transaction, without what was to be run', () => {
    decide(askFor('repo-dev'));
    expect(() =>
      at.database.withWriteTx((tx) => {
        at.authority.decide(tx, FROM_ALPHA, askFor('query'));
        throw new Error('rolled back');
      }),
    ).toThrow('rolled back');
    expect(at.database.auditTail(9)).toMatchObject([
      {
        kind: 'decision',
        action: 'decision.deny',
        actor: ALPHA,
        details: { code: 'LEASE_REQUIRED', requested: 'repo-dev', generation: 1, chain: [ALPHA], lease: null },
      },
    ]);
  });

  it('previews the same answer without counting or writing', () => {
    at.authority.grantLease(GRANT);
    const rows = at.database.auditTail(99).length;
    for (let i = 0; i < 9; i++) expect(at.authority.preview(FROM_ALPHA, askFor('repo-dev')).effect).toBe('allow');
    expect(at.database.auditTail(99)).toHaveLength(rows);
    expect(at.authority.listLeases({})[0]?.uses).toBe(0);
    expect(decide(askFor('repo-dev')).effect).toBe('allow');
  });

  it('does not let a lease of a peer serve an origin behind it', () => {
    at.authority.grantLease(GRANT);
    const behind = { from: ALPHA, origin: GAMMA, session: 's9' };
    const ask = askFor('repo-dev', { chain: [GAMMA, ALPHA] });
    expect(at.authority.preview(behind, ask).code).toBe('LEASE_REQUIRED');
    at.authority.grantLease({ ...GRANT, origin: 'carol' });
    expect(at.authority.preview(behind, ask).effect).toBe('allow');
  });

  it('lets a lease of one session serve no other', () => {
    at.authority.grantLease({ ...GRANT, session: 's1' });
    const effects = ['s1', 's2'].map(
      (session) => at.authority.preview({ ...FROM_ALPHA, session }, askFor('repo-dev')).effect,
    );
    expect(effects).toEqual(['allow', 'deny']);
  });

  it('keeps the leases of this machine and of peers apart', () => {
    const local: Subject = { from: 'self', origin: 'wn-this', session: 's1' };
    const ask = askFor('repo-dev', { chain: [] });
    at.authority.grantLease(GRANT);
    expect(at.authority.preview(local, ask).code).toBe('LEASE_REQUIRED');
    at.authority.grantLease({ ...GRANT, peer: 'self' });
    expect(at.authority.preview(local, ask).effect).toBe('allow');
  });

  it('serves a request that was cut down by a lease of what it was cut down to, not of what it named', () => {
    at.authority.grantLease({ ...GRANT, profile: 'system-change' });
    expect(at.authority.preview(FROM_ALPHA, askFor('system-change')).code).toBe('LEASE_REQUIRED');
    const lease = at.authority.grantLease(GRANT);
    expect(at.authority.preview(FROM_ALPHA, askFor('system-change'))).toMatchObject({
      effect: 'allow',
      effectiveProfile: 'repo-dev',
      leaseId: lease.id,
    });
  });

  it('prefers a lease without a use count, then the longest-lived', () => {
    at.authority.grantLease({ ...GRANT, durationMs: 9_000_000, maxUses: 1 });
    const longer = at.authority.grantLease({ ...GRANT, durationMs: 5_000_000 });
    at.authority.grantLease(GRANT);
    expect(at.authority.preview(FROM_ALPHA, askFor('repo-dev')).leaseId).toBe(longer.id);
  });

  it('finds no lease while the clock stands back, and says so', () => {
    at.authority.grantLease(GRANT);
    at.move(-60_001);
    const decision = decide(askFor('repo-dev'));
    expect(decision.code).toBe('LEASE_REQUIRED');
    expect(decision.message).toContain('clock');
    expect(decision.nextSteps[0]).toContain('clock');
    expect(decide(askFor('query')).effect).toBe('allow');
  });

  it('leaves a row of who asked for what, what was decided and by which rules, and no more', () => {
    const lease = at.authority.grantLease(GRANT);
    decide(askFor('system-change'), { ...FROM_ALPHA, from: ALPHA.toUpperCase() });
    decide(askFor('query', { profile: undefined, workspace: undefined, chain: [GAMMA] }));
    const [bare, full] = at.database.auditTail(2);
    expect(full).toMatchObject({
      ...{ kind: 'decision', action: 'decision.allow', actor: ALPHA, subject: `${ALPHA}/s1` },
      details: {
        ...{ effect: 'allow', code: 'OK', generation: 1, requested: 'system-change', effective: 'repo-dev' },
        ...{ workspace: 'app', lease: lease.id, chain: [ALPHA] },
      },
    });
    expect(bare).toMatchObject({ details: { workspace: null, lease: null, chain: [GAMMA], effective: null } });
    decide(askFor('query', { chain: [GAMMA] }), { from: GAMMA, origin: GAMMA, session: 's1' });
    expect(at.database.auditTail(1)).toMatchObject([
      { action: 'decision.deny', details: { requested: 'query', effective: null } },
    ]);
    expect(Object.keys(full?.details ?? {}).sort()).toEqual(
      ['effect', 'code', 'generation', 'requested', 'effective', 'workspace', 'lease', 'chain'].sort(),
    );
  });

  it('says that it is the clock only where the clock is the reason', () => {
    const advice = 'set the clock of the executing node right, or have its person accept it';
    const right = decide(askFor('repo-dev'));
    expect([right.message.includes('clock'), right.nextSteps.includes(advice)]).toEqual([false, false]);
    at.move(-60_001);
    const back = decide(askFor('repo-dev'));
    expect(back.message).toBe(`${right.message}: the clock of this node went back, so that no lease counts`);
    expect(back.nextSteps).toEqual([advice, ...right.nextSteps]);
    expect(decide(askFor('nothing')).message).not.toContain('clock');
  });

  it('counts what has been asked in the last hour, of this subject alone', () => {
    const local: Subject = { from: 'self', origin: 'wn-this', session: 's1' };
    for (let i = 0; i < 5; i++) decide(askFor('query', { chain: [] }), local);
    at.live.set('self', 9);
    expect(decide(askFor('query')).code).toBe('OK');
  });
});
