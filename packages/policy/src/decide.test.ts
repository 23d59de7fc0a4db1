import { nodeIdFromBase32 } from '@writ/core';
import { describe, expect, it } from 'vitest';
import { decideWith, decisionForPeer } from './decide.ts';
import { explainText } from './explain.ts';
import { indexConfig } from './policy-index.ts';
import { outcomeOf } from './self-tests.ts';
import { BASE, decideBy, leaseOn, load, requestFrom } from './testing/fixtures.ts';
import { SELF_ID, testId } from './testing/testing.ts';
import type { Config, DecisionRequest, Profile } from './types.ts';

const POLICY = load(BASE);
const REPO_DEV = POLICY.config.profiles.get('repo-dev');
const LENT = { leases: [leaseOn(REPO_DEV)], profile: 'repo-dev', workspace: 'app' };

function outcome(text: string, request: DecisionRequest): string {
  return outcomeOf(decideBy(load(text), request));
}

function withProfiles(change: (profile: Profile) => Profile): Config {
  const profiles = new Map([...POLICY.config.profiles].map(([name, profile]) => [name, change(profile)]));
  return { ...POLICY.config, profiles };
}

describe('the second look at the effective profile', () => {
  const decideUnder = (config: Config) => {
    const index = indexConfig(config, POLICY.index.position);
    const request = requestFrom('laptop', { ...LENT, profile: 'query' });
    return decideWith(index, request, { generation: 1, selfId: SELF_ID });
  };

  it('sees a ceiling that raises the rank although loading was bypassed', () => {
    expect(decideUnder({ ...POLICY.config, ceilings: { query: 'repo-dev' } })).toMatchObject({
      code: 'RANK_EXCEEDED',
      message: 'a ceiling raises `query` to `repo-dev`',
      nextSteps: ['run: writ policy validate'],
    });
  });

  it('sees a ceiling of the same rank that holds more', () => {
    const config = withProfiles((profile) => (profile.name === 'repo-dev' ? { ...profile, rank: 0 } : profile));
    expect(outcomeOf(decideUnder({ ...config, ceilings: { query: 'repo-dev' } }))).toBe('deny:RANK_EXCEEDED');
  });

  it('sees a ceiling that holds the same and is declared to be more dangerous', () => {
    const query = POLICY.config.profiles.get('query') as Profile;
    const profiles = new Map([...POLICY.config.profiles, ['risky', { ...query, name: 'risky', rank: 3 }]]);
    const runnable = decideUnder({ ...POLICY.config, profiles, ceilings: { query: 'risky' } });
    expect(outcomeOf(runnable)).toBe('deny:RANK_EXCEEDED');
  });

  it('sees a runner that is not configured', () => {
    const config = withProfiles((profile) => ({ ...profile, runner: 'gone' }));
    expect(decideUnder(config)).toMatchObject({
      code: 'RUNNER_NOT_ALLOWED',
      message: 'the runner of `query` is not configured',
      nextSteps: ['define [runners.gone] and run: writ policy reload --accept'],
    });
    expect(decideUnder(config).trace.at(-1)?.path).toBe('profiles.query.runner');
  });

  it('answers POLICY_ERROR where evaluating goes wrong, and does not throw', () => {
    const decision = decideUnder({ ...POLICY.config, ceilings: { query: 'gone' } });
    const message = 'the policy could not be evaluated for this request';
    expect(decision).toEqual({
      effect: 'deny',
      code: 'POLICY_ERROR',
      message,
      nextSteps: ['run: writ policy validate'],
      generation: 1,
      trace: [{ rule: 'evaluation', outcome: 'deny', detail: message }],
    });
  });
});

describe('a lease', () => {
  const decide = (change: Parameters<typeof leaseOn>[1], request: Partial<DecisionRequest> = {}) =>
    outcomeOf(decideBy(POLICY, requestFrom('laptop', { ...LENT, leases: [leaseOn(REPO_DEV, change)], ...request })));

  it('counts where it covers the effective profile', () => {
    expect(decide({})).toBe('allow:repo-dev/shell');
    expect(decide({ workspaces: ['app'] })).toBe('allow:repo-dev/shell');
    expect(decide({}, { profile: 'system-change' })).toBe('allow:repo-dev/shell');
  });

  it('is none where the profile has grown since it was issued', () => {
    expect(decide({ closure: ['read_repo'] })).toBe('deny:LEASE_REQUIRED');
  });

  it('is none for another profile or another workspace', () => {
    expect(decide({ profile: 'system-change' })).toBe('deny:LEASE_REQUIRED');
    expect(decide({ workspaces: ['site'] })).toBe('deny:LEASE_REQUIRED');
  });

  it('is named in the decision, and only where it was used', () => {
    expect(decideBy(POLICY, requestFrom('laptop', LENT)).leaseId).toBe('lease-repo-dev');
    expect(decideBy(POLICY, requestFrom('laptop', { ...LENT, profile: 'query' })).leaseId).toBeUndefined();
  });
});

describe('an ask', () => {
  const asking = BASE.replace('max_depth = 2', 'max_depth = 2\nmay_request_lease = true').replace(
    'commands = [["true"]]',
    'require_approval = true',
  );

  it('is remembered, and a later denial wins', () => {
    const limited = `${asking}[peers.laptop.limits]\nmax_concurrent = 1\n`;
    const request = requestFrom('laptop', { profile: 'repo-dev', workspace: 'app' });
    expect(outcome(asking, request)).toBe('ask:LEASE_REQUIRED');
    expect(outcome(limited, { ...request, usage: { concurrent: 1, lastHour: 1 } })).toBe('deny:LIMIT_EXCEEDED');
  });

  it('is the first one where there are two', () => {
    const both = asking.replace('require_lease = true', 'require_lease = true\nrequire_approval = true');
    expect(outcome(both, requestFrom('laptop', { profile: 'repo-dev', workspace: 'app' }))).toBe('ask:LEASE_REQUIRED');
    const decision = decideBy(load(both), requestFrom('laptop', { profile: 'repo-dev', workspace: 'app' }));
    expect(decision.trace.filter((step) => step.outcome === 'ask').map(({ rule }) => rule)).toEqual([
      'lease',
      'approval',
    ]);
  });
});

describe('bounds that are met', () => {
  it('takes the smaller of what the policy and the writ give', () => {
    const open = BASE.replace(
      'runner = "shell"\nrequire_explicit',
      'network = ["a:1", "b:2"]\nrunner = "shell"\nrequire_explicit',
    );
    const policy = load(open);
    const leases = [leaseOn(policy.config.profiles.get('repo-dev'))];
    const request = { ...LENT, leases, grantNetwork: ['b:2', 'c:3'], grantMaxOutputBytes: 5, depthLeft: 1 };
    expect(decideBy(policy, requestFrom('laptop', request)).grant).toMatchObject({
      network: ['b:2'],
      maxOutputBytes: 5,
      depth: 1,
    });
    expect(decideBy(policy, requestFrom('laptop', { ...LENT, leases, depthLeft: 7 })).grant?.depth).toBe(2);
  });

  it('refuses a hop that the writ has no depth for', () => {
    expect(outcome(BASE, requestFrom('laptop', { profile: 'query', depthLeft: 0 }))).toBe('allow:query/shell');
    expect(outcome(BASE, requestFrom('laptop', { profile: 'query', depthLeft: -1 }))).toBe('deny:CHAIN_TOO_DEEP');
  });

  it('refuses a workspace that the grants or one of the profiles leave out', () => {
    const cases: [string, Partial<DecisionRequest>][] = [
      [BASE, { grantWorkspaces: ['site'] }],
      [BASE.replace('commands = [["true"]]', 'workspaces = ["site"]'), {}],
    ];
    for (const [text, change] of cases) {
      const request = requestFrom('laptop', { profile: 'query', workspace: 'app', ...change });
      expect(outcome(text, request)).toBe('deny:WORKSPACE_NOT_ALLOWED');
    }
  });

  it('wants a workspace named where the closure acts on one', () => {
    expect(outcome(BASE, requestFrom('laptop', { ...LENT, workspace: undefined }))).toBe('deny:WORKSPACE_NOT_ALLOWED');
  });

  it('looks at every grant, and lets only the last one be without subdelegate', () => {
    const closure = ['inspect_status', 'inspect_logs'];
    const granted = (...grants: string[][]) => outcome(BASE, requestFrom('laptop', { profile: 'query', grants }));
    expect(granted(closure)).toBe('allow:query/shell');
    expect(granted([...closure, 'subdelegate'], closure)).toBe('allow:query/shell');
    expect(granted(closure, [...closure, 'subdelegate'])).toBe('deny:GRANT_EXCEEDED');
    expect(granted(['subdelegate'], closure)).toBe('deny:GRANT_EXCEEDED');
    expect(granted([...closure, 'subdelegate'], ['inspect_status'])).toBe('deny:GRANT_EXCEEDED');
  });
});

describe('a request that names no profile', () => {
  it('gets the default only where the sender may ask for that', () => {
    expect(outcome(BASE, requestFrom('desk'))).toBe('allow:query/shell');
    const without = BASE.replace('profiles = ["query", "repo-dev", "system-change"]', 'profiles = ["repo-dev"]');
    expect(outcome(without, requestFrom('laptop'))).toBe('deny:PROFILE_REQUIRED');
  });
});

describe('the chain', () => {
  it('refuses this node as its own peer', () => {
    const own = BASE.replace(testId('desk'), SELF_ID);
    const request = requestFrom('desk', { from: SELF_ID, chain: [SELF_ID], profile: 'query' });
    expect(outcome(own, request)).toBe('deny:CHAIN_CYCLE');
  });

  it('of nobody does not belong to the sender', () => {
    expect(outcome(BASE, requestFrom('desk', { chain: [], profile: 'query' }))).toBe('deny:CHAIN_MISMATCH');
  });

  it('may begin at an origin that is named and no peer', () => {
    const text = BASE.replace('max_depth = 2', 'max_depth = 2\naccept_origins = ["far"]');
    const chain = [testId('far'), testId('laptop')];
    const request = requestFrom('laptop', { chain, profile: 'query' });
    expect(outcome(BASE, request)).toBe('deny:ORIGIN_NOT_ACCEPTED');
    expect(outcome(`${text}[origins.far]\nid = "${testId('far')}"\n`, request)).toBe('allow:query/shell');
  });
});

describe('the runner', () => {
  it('refuses a kind of input that it cannot take', () => {
    expect(outcome(BASE, requestFrom('laptop', { ...LENT, input: 'argv' }))).toBe('allow:repo-dev/shell');
    expect(outcome(BASE, requestFrom('laptop', { ...LENT, input: 'prompt' }))).toBe('deny:RUNNER_NOT_ALLOWED');
    const fixer = BASE.replace('[profile_ceilings]\nsystem-change = "repo-dev"\n', '');
    const leases = [leaseOn(load(fixer).config.profiles.get('system-change'))];
    const request = { ...LENT, leases, profile: 'system-change' };
    expect(outcome(fixer, requestFrom('laptop', { ...request, input: 'prompt' }))).toBe('allow:system-change/fixer');
    expect(outcome(fixer, requestFrom('laptop', { ...request, input: 'argv' }))).toBe('deny:RUNNER_NOT_ALLOWED');
  });
});

describe('this machine itself', () => {
  const own = `${BASE}[self]\nprofiles = ["query", "repo-dev"]\nworkspaces = ["app"]\n`;
  const local = { from: 'self', chain: [], leases: [], usage: { concurrent: 0, lastHour: 0 } };

  it('asks under its own rules, with an empty chain, and needs the same leases', () => {
    expect(outcome(own, { ...local, profile: 'query' })).toBe('allow:query/shell');
    expect(outcome(own, { ...local, profile: 'repo-dev', workspace: 'app' })).toBe('deny:LEASE_REQUIRED');
    expect(outcome(BASE, { ...local, profile: 'query' })).toBe('deny:PROFILE_NOT_ALLOWED');
    expect(outcome(own, { ...local, profile: 'query', chain: [testId('laptop')] })).toBe('deny:CHAIN_MISMATCH');
  });

  it('is nobody who merely calls itself so', () => {
    expect(outcome(own, { ...local, from: 'SELF', profile: 'query' })).toBe('deny:PEER_UNKNOWN');
  });
});

describe('names in a request', () => {
  it('folds ASCII letters and nothing else', () => {
    expect(outcome(BASE, requestFrom('laptop', { profile: 'QUERY', workspace: 'App' }))).toBe('allow:query/shell');
    for (const profile of [
      'query ',
      ' query',
      'que\u0301ry',
      'quеry',
      'query\u0000',
      '../query',
      '%2fquery',
      '',
      'q'.repeat(65_536),
    ]) {
      expect(outcome(BASE, requestFrom('laptop', { profile }))).toBe('deny:PROFILE_UNKNOWN');
    }
  });

  it('takes an id in any letter case, and no look-alike letter', () => {
    const from = testId('laptop').toUpperCase();
    expect(outcome(BASE, requestFrom('laptop', { from, chain: [from], profile: 'query' }))).toBe('allow:query/shell');
    const withK = nodeIdFromBase32('k'.repeat(32));
    const alike = BASE.replace(testId('laptop'), withK);
    const kelvin = withK.replace('k', '\u212a');
    expect(outcome(alike, requestFrom('x', { from: kelvin, chain: [kelvin], profile: 'query' }))).toBe(
      'deny:PEER_UNKNOWN',
    );
  });

  it('knows profiles that are called like things every object has', () => {
    const text = BASE.replaceAll('profiles.query]', 'profiles.constructor]').replaceAll('"query"', '"constructor"');
    expect(outcome(text, requestFrom('laptop', { profile: 'constructor' }))).toBe('allow:constructor/shell');
  });
});

describe('what a peer is told', () => {
  it('is the same for a profile that does not exist and for one that it may not ask for', () => {
    for (const spell of [(name: string) => name, (name: string) => name.toUpperCase()]) {
      const there = decisionForPeer(decideBy(POLICY, requestFrom('desk', { profile: spell('repo-dev') })));
      const absent = decisionForPeer(decideBy(POLICY, requestFrom('desk', { profile: spell('repo-xyz') })));
      expect(JSON.stringify(there).replaceAll('repo-dev', 'X')).toBe(
        JSON.stringify(absent).replaceAll('repo-xyz', 'X'),
      );
      expect(there.code).toBe('PROFILE_NOT_ALLOWED');
    }
  });

  it('has no trace, and keeps the rest', () => {
    const decision = decideBy(POLICY, requestFrom('laptop', LENT));
    expect({ ...decisionForPeer(decision), trace: decision.trace }).toEqual({ ...decision });
    expect(decisionForPeer(decision).trace).toEqual([]);
  });
});

describe('the trace', () => {
  it('says what it says each time, also where a line was made before for another request', () => {
    const policy = load(BASE);
    const leases = [leaseOn(REPO_DEV)];
    const requests = ['query', 'QUERY', undefined].flatMap((profile) =>
      ['app', 'APP', undefined].flatMap((workspace) =>
        [[], [['inspect_status', 'inspect_logs']]].map((grants) =>
          requestFrom('laptop', {
            ...(profile ? { profile } : {}),
            ...(workspace ? { workspace } : {}),
            grants,
            leases,
          }),
        ),
      ),
    );
    for (const request of [...requests, ...requests]) {
      expect(decideBy(policy, request).trace).toEqual(decideBy(load(BASE), request).trace);
    }
    const [first, second] = [1, 2].map(() => decideBy(policy, requestFrom('laptop', { profile: 'query' })).trace);
    expect(first?.[0]).toBe(second?.[0]);
    expect(Object.isFrozen(first?.[0])).toBe(true);
  });

  it("of a policy's own test says that a lease is assumed", () => {
    const frame = { generation: 1, selfId: SELF_ID, assumeLease: true };
    const { trace } = decideWith(load(BASE).index, requestFrom('laptop', { ...LENT, leases: [] }), frame);
    expect(trace.find(({ rule }) => rule === 'lease')?.detail).toBe('a lease is assumed');
  });

  it('names each rule that was looked at, with its place in the file', () => {
    const { trace } = decideBy(POLICY, requestFrom('laptop', { ...LENT, profile: 'system-change' }));
    expect(trace.map(({ rule }) => rule)).toEqual([
      'peer',
      'chain',
      'profile named',
      'profile exists',
      'profile allowed',
      'ceilings',
      'rank',
      'runner',
      'grants',
      'workspace',
      'lease',
      'limits',
      'approval',
    ]);
    const line = BASE.split('\n').indexOf('system-change = "repo-dev"') + 1;
    expect(trace[5]).toEqual({
      rule: 'ceilings',
      outcome: 'cut',
      detail: '`system-change` → `repo-dev`',
      path: 'profile_ceilings.system-change',
      position: { line, column: 1 },
    });
  });

  it('ends with the rule that refused', () => {
    const { trace, message } = decideBy(POLICY, requestFrom('desk', { profile: 'repo-dev' }));
    expect(trace.at(-1)).toMatchObject({ rule: 'profile allowed', outcome: 'deny', detail: message });
  });

  it('finds rules of names that are written in capitals', () => {
    const text = BASE.replace('[profiles.query]', '[profiles.QUERY]');
    const step = decideBy(load(text), requestFrom('laptop', { profile: 'query' })).trace[3];
    expect(step?.position?.line).toBe(text.split('\n').indexOf('[profiles.QUERY]') + 1);
  });

  it('reads well for a person', () => {
    const text = explainText(decideBy(POLICY, requestFrom('laptop', { profile: 'system-change', workspace: 'app' })));
    const [first, ...rest] = text.split('\n');
    expect(first).toBe(
      'denied: LEASE_REQUIRED, `repo-dev` needs a lease, and no live one covers the request; `laptop` may not ask for one (may_request_lease)',
    );
    expect(rest).toContain('system-change is cut down to repo-dev');
    expect(rest).toContain('next: a person on `box` lends one: writ lease grant laptop repo-dev --for 1h');
    expect(text).toMatch(/DENY +lease +.*\[profiles\.repo-dev\.require_lease, line \d+\]/);
  });
});
