import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDeskFixture, type DeskFixture, HOUR_MS, IN_B, POLICY } from './testing/desk-fixture.ts';
import { createDeskVerbs } from './testing/desk-verbs.ts';
import type { CommandSpec } from './types.ts';

const READ: CommandSpec = { argv: ['uptime'], profile: 'ops' };
const RESTART: CommandSpec = { argv: ['systemctl', 'restart', 'nginx'], profile: 'ops' };
const ISOLATED = POLICY.replace('isolation = "none"', 'isolation = "required"');
const reaching = (hosts: string): string =>
  POLICY.replace('isolation = "none"', `isolation = "none"\nnetwork = [${hosts}]`);

let at: DeskFixture;
const { ask, started, ended } = createDeskVerbs(() => at);
const reload = async (text: string): Promise<void> => {
  const { reloaded } = await at.engine.reload(text, { acceptWidening: true });
  expect(reloaded).toBe(true);
};
/** A lease for what the profile is by now. */
const lend = () => at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: HOUR_MS, issuedBy: 'ap-1' });
beforeEach(async () => {
  at = await createDeskFixture();
});
afterEach(async () => {
  await at.close();
  expect(at.held.count).toBe(0);
});

describe('what is configured otherwise between the reading of a command and its start', () => {
  /** Does it once, when the command is read for the start and before the last look. */
  const meanwhile = (change: () => Promise<void>): void => {
    const { whileHeld } = at.engine;
    let isDone = false;
    Object.assign(at.engine, {
      async whileHeld<T>(fn: () => T | Promise<T>): Promise<T> {
        if (!isDone) await change();
        isDone = true;
        return whileHeld(fn);
      },
    });
  };

  it.each([
    ['another environment', async () => void Object.assign(at.environment, { LD_PRELOAD: '/tmp/x.so' })],
    ['less of an environment', async () => void delete at.environment.LANG],
    ['another network', () => reload(reaching('"a:1"'))],
  ])('is %s, which nobody said yes to', async (_, change) => {
    await reload(reaching('"a:1", "b:1"'));
    lend();
    const view = await ask(RESTART);
    meanwhile(change);
    at.yes(view.approval);
    const last = await ended(view);
    expect(last).toMatchObject({ state: 'failed', outcome: { code: 'CHANGED_SINCE_APPROVAL' } });
    expect(at.processes.size).toBe(0);
    const next = at.desk.show({ kind: 'host' }, last.next ?? '');
    expect(next.state).toBe('pending_approval');
    at.yes(next.approval);
    expect((await started(next)).order.env).toEqual(at.environment);
  });

  it.each([
    ['a yes', RESTART],
    ['its class', READ],
  ])('is a sandbox, which %s does not stand in for', async (_, command) => {
    meanwhile(() => reload(ISOLATED));
    const view = await ask(command);
    if (view.approval !== undefined) at.yes(view.approval);
    expect(await ended(view)).toMatchObject({ state: 'failed', outcome: { code: 'ISOLATION_UNAVAILABLE' } });
    expect(at.processes.size).toBe(0);
  });
});

describe('what is configured otherwise while a command runs', () => {
  it.each([
    ['a sandbox', 'ISOLATION_UNAVAILABLE', () => reload(ISOLATED)],
    ['less time', 'PROFILE_NOT_ALLOWED', () => reload(POLICY.replace('timeout = "10m"', 'timeout = "9m"'))],
    [
      'less room for its output',
      'PROFILE_NOT_ALLOWED',
      () => reload(POLICY.replace('timeout = "10m"', 'timeout = "10m"\nmax_output = "1KiB"')),
    ],
    [
      'less of an environment',
      'PROFILE_NOT_ALLOWED',
      async () => {
        delete at.environment.LANG;
        await reload(`${POLICY}# loaded again\n`);
      },
    ],
  ])('ends it where that is %s', async (_, code, change) => {
    const view = await ask(READ);
    await started(view);
    await change();
    expect(await ended(view)).toMatchObject({ state: 'cancelled', outcome: { code } });
  });

  it('ends it where that is less of the network, and not where it is more', async () => {
    await reload(reaching('"a:1"'));
    lend();
    const view = await ask(READ);
    await started(view);
    await reload(reaching('"a:1", "b:1"'));
    expect(at.desk.show({ kind: 'host' }, view.id).state).toBe('running');
    await reload(reaching('"b:1"'));
    expect(await ended(view)).toMatchObject({ state: 'cancelled', outcome: { code: 'PROFILE_NOT_ALLOWED' } });
  });

  it('ends what was started without a lease where one is needed now', async () => {
    const [before, after] = ['', 'require_lease = true\nrequire_explicit = true\n'].map((needs) =>
      POLICY.replace('[profiles.boxed]\n', `[profiles.boxed]\nisolation = "none"\n${needs}`),
    );
    await reload(before ?? '');
    const [free, lent] = [await ask({ argv: ['uptime'], profile: 'boxed' }), await ask(READ, IN_B)];
    await Promise.all([started(free), started(lent)]);
    expect([free, lent].map(({ id }) => at.desk.show({ kind: 'host' }, id).lease === undefined)).toEqual([true, false]);
    await reload(after ?? '');
    expect(await ended(free)).toMatchObject({ state: 'cancelled', outcome: { code: 'LEASE_REQUIRED' } });
    expect(at.desk.show({ kind: 'host' }, lent.id).state).toBe('running');
  });
});
