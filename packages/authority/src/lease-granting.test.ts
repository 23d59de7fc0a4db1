import { isWritError } from '@writ/core';
import type { Lease } from '@writ/lease-store';
import { createPolicyEngine } from '@writ/policy';
import { createFakeClock } from '@writ/testkit/clock';
import { describe, expect, it } from 'vitest';
import { isConfigured, planLease, planRenewal, resolvePeer } from './lease-granting.ts';
import { ALPHA, GAMMA, GRANT, POLICY, START_MS } from './testing/lease-fixture.ts';
import type { LeaseTerms } from './types.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function configOf(text: string) {
  return createPolicyEngine({ text, clock: createFakeClock(START_MS), selfId: GAMMA }).snapshot().config;
}

const CONFIG = configOf(POLICY.replace(/\[origins\.carol\][\s\S]*/, `[origins.carol]\nid = "${GAMMA}"\n`));

/** What a refusal says, to people and to programs. */
function refusalOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (!isWritError(error)) throw error;
    const { code, message, nextSteps } = error;
    return [code, message, ...nextSteps];
  }
}

/** What a test says otherwise than the usual grant does. */
type Change = Partial<LeaseTerms & { readonly durationMs: number }>;

const plan = (change: Change = {}, config = CONFIG) =>
  refusalOf(() => planLease(config, { ...GRANT, ...change }, { id: 'l-1', nowMs: START_MS }));

describe('a lease as it will be lent', () => {
  it('is of what was named, as it is configured, and of nothing that was not said', () => {
    expect(plan()).toEqual({
      ...{ id: 'l-1', peer: ALPHA, origin: ALPHA, profile: 'repo-dev', issuedBy: 'person', workspaces: [] },
      closure: CONFIG.profiles.get('repo-dev')?.closure,
      ...{ expiresAtMs: START_MS + HOUR_MS, maxExpiresAtMs: START_MS + DAY_MS },
    });
    expect(plan({ session: 's1', maxUses: 1, workspaces: ['APP', 'site'], profile: 'Repo-Dev' })).toMatchObject({
      ...{ session: 's1', maxUses: 1, workspaces: ['app', 'site'], profile: 'repo-dev' },
    });
  });

  it('serves the origin that it names: a peer, or a label or id of [origins], in any case', () => {
    const origins = ['alpha', ALPHA, 'carol', 'CAROL', GAMMA, GAMMA.toUpperCase(), 'self'];
    expect(origins.map((origin) => (plan({ origin }) as { origin: string }).origin)).toEqual([
      ...[ALPHA, ALPHA, GAMMA, GAMMA, GAMMA, GAMMA, 'self'],
    ]);
  });

  it('lives for at most what the configuration says, and exactly so long too', () => {
    expect(plan({ durationMs: DAY_MS })).toMatchObject({ expiresAtMs: START_MS + DAY_MS });
    expect(plan({ durationMs: DAY_MS + 60_000 })).toEqual([
      ...['BAD_REQUEST', 'a lease of 1d1m is longer than 1d, the most here'],
      'ask for at most 1d, or raise `max` in [leases]',
    ]);
  });

  it('lives until the moment that is named, which has to come, and for no longer than one that is counted', () => {
    const until = (endsAtMs: number) => {
      const { durationMs: _, ...rest } = GRANT;
      return refusalOf(() => planLease(CONFIG, { ...rest, endsAtMs }, { id: 'l-1', nowMs: START_MS }));
    };
    expect(until(START_MS + DAY_MS)).toMatchObject({ expiresAtMs: START_MS + DAY_MS });
    expect(until(START_MS + 1)).toMatchObject({ expiresAtMs: START_MS + 1 });
    expect(until(START_MS)).toEqual([
      ...['EXPIRED', `the lease would end at ${new Date(START_MS).toISOString()}, which has passed`],
      'lend anew, until a later time',
    ]);
    expect(until(START_MS + DAY_MS + 60_000)).toMatchObject([
      'BAD_REQUEST',
      'a lease of 1d1m is longer than 1d, the most here',
      expect.anything(),
    ]);
    expect(until(0.5)).toMatchObject(['BAD_REQUEST', 'the end of a lease is no usable number', expect.anything()]);
  });

  it.each<[Change, string[]]>([
    [
      { durationMs: 0 },
      ['BAD_REQUEST', 'the duration of a lease is no usable number', 'give a whole number above zero'],
    ],
    [
      { maxUses: 0 },
      ['BAD_REQUEST', 'the number of uses of a lease is no usable number', 'give a whole number above zero'],
    ],
    [
      { workspaces: [] },
      [
        ...['BAD_REQUEST', 'a lease for no workspace serves nothing', 'name the workspaces'],
        'or leave them out, for every one that the peer has',
      ],
    ],
    [
      { session: '' },
      ['BAD_REQUEST', 'the session of a lease is empty', 'leave the session out to serve every session'],
    ],
    [{ peer: 'alpa' }, ['PEER_UNKNOWN', 'no peer `alpa` is configured here', 'did you mean `alpha`']],
    [{ peer: 'sel' }, ['PEER_UNKNOWN', 'no peer `sel` is configured here', 'did you mean `self`']],
    [{ peer: 'zzzzzzzz' }, ['PEER_UNKNOWN', 'no peer `zzzzzzzz` is configured here', 'list the peers: writ peer list']],
    [
      { origin: 'nobody' },
      ['PEER_UNKNOWN', 'no origin `nobody` is configured here', 'name a peer, or a label of [origins]'],
    ],
    [{ profile: 'qery' }, ['PROFILE_UNKNOWN', 'no profile `qery` is configured here', 'did you mean `query`']],
    [
      { profile: 'zzzzzzzz' },
      ['PROFILE_UNKNOWN', 'no profile `zzzzzzzz` is configured here', 'name one of: query, repo-dev, system-change'],
    ],
    [{ workspaces: ['zzzz'] }, ['NOT_FOUND', 'no workspace `zzzz` is configured here', 'name one of: app, site']],
    [{ workspaces: ['apo'] }, ['NOT_FOUND', 'no workspace `apo` is configured here', 'did you mean `app`']],
  ])('is refused for %j, with what would be right', (change, expected) => {
    expect(plan(change)).toEqual(expected);
  });

  it('is refused where nothing is configured that could be named, with where to do so', () => {
    const empty = configOf('schema = 1\n[node]\nname = "beta"\n');
    expect(plan({ peer: 'self', profile: 'x' }, empty)).toEqual([
      ...['PROFILE_UNKNOWN', 'no profile `x` is configured here', 'configure one in writ.toml'],
    ]);
  });

  it('is advised from a list that people can read, however many there are', () => {
    const many = Array.from({ length: 25 }, (_, i) => `[workspaces.w${String(i).padStart(2, '0')}]\npath = "."\n`);
    const config = configOf(POLICY.replace('[workspaces.app]', `${many.join('')}[workspaces.app]`));
    const [, , advice = ''] = plan({ workspaces: ['zzzzzzzz'] }, config) as string[];
    expect(advice.split(', ')).toHaveLength(20);
  });
});

describe('a peer', () => {
  it('is known by label, by id and as this machine, in any case, and by nothing else', () => {
    const known = ['alpha', 'Alpha', ALPHA, ALPHA.toUpperCase(), 'self', 'SELF'];
    expect(known.map((name) => isConfigured(CONFIG, name))).toEqual(known.map(() => true));
    expect(known.map((name) => resolvePeer(CONFIG, name))).toEqual([ALPHA, ALPHA, ALPHA, ALPHA, 'self', 'self']);
    for (const name of ['carol', GAMMA, '', ' ', '../alpha']) expect(isConfigured(CONFIG, name)).toBe(false);
  });
});

describe('a lease as it will be renewed', () => {
  const lease: Lease = {
    ...{ id: 'l-1', peer: ALPHA, origin: ALPHA, profile: 'repo-dev', closure: [], workspaces: [], issuedBy: 'person' },
    ...{
      issuedAtMs: START_MS,
      expiresAtMs: START_MS + HOUR_MS,
      maxExpiresAtMs: START_MS + DAY_MS,
      uses: 0,
      version: 1,
    },
  };
  const renew = (durationMs: number, change: Partial<Lease> | undefined = {}, nowMs = START_MS) =>
    refusalOf(() => planRenewal({ ...lease, ...change }, { lease: 'l-1', durationMs }, nowMs));

  it('lives from now on, longer than before, and at most to its own maximum', () => {
    expect(renew(HOUR_MS + 1)).toEqual({ lease, expiresAtMs: START_MS + HOUR_MS + 1 });
    expect(renew(DAY_MS)).toEqual({ lease, expiresAtMs: START_MS + DAY_MS });
    expect(renew(HOUR_MS)).toEqual([
      ...['BAD_REQUEST', 'the lease lives for 1h as it is', 'renew it for longer than that, or leave it'],
    ]);
    expect(renew(DAY_MS, {}, START_MS + 60_000)).toEqual([
      ...['BAD_REQUEST', 'a lease is not renewed past its own maximum, 23h59m from now'],
      'renew it for at most 23h59m, or lend anew',
    ]);
    expect(renew(0.5)).toMatchObject(['BAD_REQUEST', 'the duration of a lease is no usable number', expect.anything()]);
  });

  it('is none once it has ended, however that was', () => {
    const ended = ['a lease that has ended is not renewed', 'lend anew: writ lease grant'];
    expect(renew(2 * HOUR_MS, {}, START_MS + HOUR_MS)).toEqual(['EXPIRED', ...ended]);
    expect(renew(2 * HOUR_MS, {}, START_MS + HOUR_MS - 1)).toMatchObject({ lease });
    expect(renew(2 * HOUR_MS, { revokedAtMs: START_MS })).toEqual(['LEASE_REVOKED', ...ended]);
    expect(renew(2 * HOUR_MS, { revokedAtMs: START_MS }, START_MS + HOUR_MS)).toEqual(['LEASE_REVOKED', ...ended]);
    expect(refusalOf(() => planRenewal(undefined, { lease: 'l-9', durationMs: 1 }, START_MS))).toEqual([
      ...['NOT_FOUND', 'no lease `l-9`', 'list them: writ lease list'],
    ]);
  });
});
