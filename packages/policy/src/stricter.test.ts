import { describe, expect, it } from 'vitest';
import { stricterDecision } from './stricter.ts';
import { BASE, load } from './testing/fixtures.ts';
import type { Config, Decision, Grant, Profile } from './types.ts';

const { config } = load(BASE);
const HOW = 'a change of the policy waits for a person: writ policy diff, then writ policy reload --accept';

const GRANT: Grant = {
  closure: ['inspect_logs', 'inspect_status'],
  rank: 0,
  network: 'deny',
  timeoutMs: 10,
  maxOutputBytes: 10,
  isolation: 'required',
  depth: 1,
};

function decision(change: Partial<Decision> = {}): Decision {
  return {
    effect: 'allow',
    code: 'OK',
    message: 'query is allowed',
    nextSteps: [],
    requestedProfile: 'query',
    effectiveProfile: 'query',
    effectiveRunner: 'shell',
    grant: GRANT,
    generation: 2,
    trace: [{ rule: 'peer', outcome: 'pass', detail: 'x' }],
    ...change,
  };
}

function withProfile(name: string, change: Partial<Profile>): Config {
  const profiles = [...config.profiles].map(
    ([one, profile]) => [one, one === name ? { ...profile, ...change } : profile] as const,
  );
  return { ...config, profiles: new Map(profiles) };
}

describe('the stricter of two decisions', () => {
  it("is a denial, the changed policy's own as it is, and the accepted one's with how to accept", () => {
    const denied = decision({ effect: 'deny', code: 'PROFILE_NOT_ALLOWED', nextSteps: ['ask'] });
    expect(stricterDecision(decision(), denied, config)).toBe(denied);
    expect(stricterDecision(denied, decision(), config)).toEqual({ ...denied, nextSteps: ['ask', HOW] });
  });

  it('is an ask, whichever it is', () => {
    const asked = decision({ effect: 'ask', code: 'LEASE_REQUIRED', message: 'lend it' });
    expect(stricterDecision(asked, decision(), config)).toMatchObject({ effect: 'ask', message: 'lend it' });
    expect(stricterDecision(decision(), asked, config)).toMatchObject({ effect: 'ask', message: 'lend it' });
  });

  it('has the profile that lies within the other, with its lease', () => {
    const dev = decision({ effectiveProfile: 'repo-dev', leaseId: 'of-dev', grant: { ...GRANT, rank: 2 } });
    const query = decision();
    for (const both of [stricterDecision(dev, query, config), stricterDecision(query, dev, config)]) {
      expect(both).toMatchObject({ effectiveProfile: 'query', effectiveRunner: 'shell', grant: { rank: 0 } });
      expect(both).not.toHaveProperty('leaseId');
    }
    const lent = decision({ effectiveProfile: 'repo-dev', leaseId: 'a' });
    const other = decision({ effectiveProfile: 'repo-dev', leaseId: 'b' });
    expect(stricterDecision(lent, other, config).leaseId).toBe('a');
    expect(stricterDecision(decision({ effectiveProfile: 'repo-dev' }), other, config).leaseId).toBe('b');
    const leasedQuery = decision({ leaseId: 'of-query' });
    expect(stricterDecision(dev, leasedQuery, config).leaseId).toBe('of-query');
    expect(stricterDecision(leasedQuery, dev, config).leaseId).toBe('of-query');
  });

  it('is a denial where neither profile lies within the other, or one of them is gone', () => {
    const apart = withProfile('query', { maxOutputBytes: 1e9 });
    const dev = decision({ effectiveProfile: 'repo-dev' });
    for (const [a, b, met] of [
      [dev, decision(), apart],
      [decision({ effectiveProfile: 'gone' }), decision(), config],
      [decision(), decision({ effectiveProfile: 'gone' }), config],
      [decision({ effectiveProfile: undefined }), decision(), config],
      [decision(), decision({ effectiveProfile: undefined }), config],
    ] as const) {
      const both = stricterDecision(a, b, met);
      expect(both).toMatchObject({
        effect: 'deny',
        code: 'PROFILE_NOT_ALLOWED',
        message: 'the accepted policy and the changed one lead to different profiles',
        nextSteps: [HOW],
        trace: [{ rule: 'peer' }],
      });
      expect(both.grant).toBeUndefined();
    }
  });

  it('is a denial where the runners differ', () => {
    expect(stricterDecision(decision(), decision(), withProfile('query', { runner: 'gone' }))).toMatchObject({
      effect: 'deny',
      code: 'RUNNER_NOT_ALLOWED',
      message: 'the accepted policy and the changed one have different runners',
      nextSteps: [HOW],
    });
  });

  it('grants what both grant', () => {
    const wide: Grant = { ...GRANT, rank: 1, timeoutMs: 20, maxOutputBytes: 20, isolation: 'none', depth: 2 };
    const open = withProfile('query', { network: 'allow', isolation: 'none' });
    const both = (a: Grant, b: Grant) => stricterDecision(decision({ grant: a }), decision({ grant: b }), open).grant;
    expect(both(wide, GRANT)).toEqual(GRANT);
    expect(both(GRANT, wide)).toEqual(GRANT);
    expect(both(wide, wide)).toMatchObject({ isolation: 'none', timeoutMs: 20, depth: 2 });
    expect(both({ ...wide, network: ['a:1'] }, { ...wide, network: 'allow' })?.network).toEqual(['a:1']);
  });
});
