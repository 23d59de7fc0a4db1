import type { CompiledPolicy } from '../../policy-index.ts';
import type { DecisionRequest, OutboundRequest } from '../../types.ts';
import { leaseOn, requestFrom } from '../fixtures.ts';
import { SELF_ID, testId } from '../testing.ts';

type Change = Partial<DecisionRequest>;

/** A request, with the profiles that it has a lease on. */
interface Question {
  readonly name: string;
  readonly from: string;
  readonly change: Change;
  readonly lent?: readonly string[];
}

const chainOf = (...labels: readonly string[]): readonly string[] => labels.map(testId);

/** Requests that meet every rule of the decision, and every way in which it refuses. */
const QUESTIONS: readonly Question[] = [
  { name: 'plain', from: 'laptop', change: { profile: 'query' } },
  { name: 'default', from: 'laptop', change: {} },
  { name: 'default of one who may not', from: 'desk', change: {} },
  { name: 'default of one without profiles', from: 'mute', change: {} },
  {
    name: 'in capitals',
    from: 'laptop',
    change: { profile: 'QUERY', workspace: 'APP', from: testId('laptop').toUpperCase() },
  },
  { name: 'of a stranger', from: 'nobody', change: { profile: 'query' } },
  { name: 'of one that is off', from: 'shelf', change: { profile: 'query' } },
  { name: 'unknown', from: 'laptop', change: { profile: 'Qeury' } },
  { name: 'not allowed', from: 'desk', change: { profile: 'Query' } },
  { name: 'nothing allowed', from: 'mute', change: { profile: 'query' } },
  { name: 'cut by both', from: 'laptop', change: { profile: 'system', input: 'argv' } },
  {
    name: 'cut by the node',
    from: 'desk',
    change: { profile: 'system', workspace: 'app', input: 'prompt' },
    lent: ['dev'],
  },
  {
    name: 'argv for a prompt',
    from: 'desk',
    change: { profile: 'dev', workspace: 'app', input: 'argv' },
    lent: ['dev'],
  },
  { name: 'prompt for an argv', from: 'laptop', change: { profile: 'query', input: 'prompt' } },
  { name: 'another runner', from: 'laptop', change: { profile: 'query', runner: 'fixer' } },
  { name: 'the runner', from: 'laptop', change: { profile: 'query', runner: 'SHELL' } },
  { name: 'no lease', from: 'desk', change: { profile: 'dev', workspace: 'app' } },
  {
    name: 'lease of another workspace',
    from: 'desk',
    change: {
      profile: 'dev',
      workspace: 'app',
      leases: [{ ...leaseOn(undefined), profile: 'dev', closure: ['read_repo'], workspaces: ['site'] }],
    },
  },
  { name: 'no workspace', from: 'desk', change: { profile: 'dev' }, lent: ['dev'] },
  { name: 'another workspace', from: 'desk', change: { profile: 'dev', workspace: 'site' }, lent: ['dev'] },
  { name: 'workspace beyond the profile', from: 'laptop', change: { profile: 'reader', workspace: 'docs' } },
  { name: 'workspace of one without', from: 'mute', change: { profile: 'query', workspace: 'app' } },
  {
    name: 'workspace beyond the grant',
    from: 'laptop',
    change: { profile: 'reader', workspace: 'app', grantWorkspaces: ['site'] },
  },
  { name: 'workspace that is none', from: 'laptop', change: { profile: 'reader', workspace: 'a b' } },
  { name: 'approval', from: 'laptop', change: { profile: 'gated' } },
  { name: 'too many at once', from: 'laptop', change: { profile: 'query', usage: { concurrent: 2, lastHour: 2 } } },
  { name: 'nearly too many', from: 'laptop', change: { profile: 'query', usage: { concurrent: 1, lastHour: 9 } } },
  { name: 'too many an hour', from: 'laptop', change: { profile: 'query', usage: { concurrent: 0, lastHour: 10 } } },
  { name: 'asked, then denied', from: 'laptop', change: { profile: 'gated', usage: { concurrent: 2, lastHour: 0 } } },
  { name: 'chain of two', from: 'laptop', change: { profile: 'query', chain: chainOf('desk', 'laptop') } },
  { name: 'chain of an origin', from: 'laptop', change: { profile: 'query', chain: chainOf('far', 'laptop') } },
  { name: 'chain of no origin', from: 'laptop', change: { profile: 'query', chain: chainOf('mute', 'laptop') } },
  { name: 'chain of another', from: 'laptop', change: { profile: 'query', chain: chainOf('laptop', 'desk') } },
  { name: 'chain of nobody', from: 'laptop', change: { profile: 'query', chain: [] } },
  {
    name: 'chain twice',
    from: 'laptop',
    change: { profile: 'query', chain: chainOf('far', 'laptop', 'far', 'laptop') },
  },
  { name: 'chain through here', from: 'laptop', change: { profile: 'query', chain: [SELF_ID, testId('laptop')] } },
  {
    name: 'chain as long as may be',
    from: 'laptop',
    change: { profile: 'query', chain: chainOf('far', 'x', 'y', 'laptop') },
  },
  {
    name: 'chain too long',
    from: 'laptop',
    change: { profile: 'query', chain: chainOf('far', 'x', 'y', 'z', 'laptop') },
  },
  { name: 'no hop left', from: 'laptop', change: { profile: 'query', depthLeft: -1 } },
  { name: 'a hop left', from: 'laptop', change: { profile: 'query', depthLeft: 1 } },
  {
    name: 'lease for an origin',
    from: 'laptop',
    change: { profile: 'dev', workspace: 'app', chain: chainOf('far', 'laptop') },
  },
  {
    name: 'within a grant',
    from: 'laptop',
    change: { profile: 'query', grants: [['inspect_status', 'inspect_logs']] },
  },
  {
    name: 'within two grants',
    from: 'laptop',
    change: {
      profile: 'query',
      grants: [
        ['inspect_status', 'inspect_logs', 'subdelegate'],
        ['inspect_status', 'inspect_logs'],
      ],
    },
  },
  { name: 'beyond a grant', from: 'laptop', change: { profile: 'query', grants: [['inspect_status']] } },
  {
    name: 'grant that ends',
    from: 'laptop',
    change: {
      profile: 'query',
      grants: [
        ['inspect_status', 'inspect_logs'],
        ['inspect_status', 'inspect_logs'],
      ],
    },
  },
  {
    name: 'bounds',
    from: 'desk',
    change: {
      profile: 'dev',
      workspace: 'app',
      grantNetwork: ['b.example:443', 'c.example:443'],
      grantMaxOutputBytes: 7,
      depthLeft: 0,
    },
    lent: ['dev'],
  },
  {
    name: 'wide bounds',
    from: 'desk',
    change: { profile: 'dev', workspace: 'app', grantNetwork: 'allow', grantMaxOutputBytes: 1e9, depthLeft: 9 },
    lent: ['dev'],
  },
  { name: 'here', from: 'self', change: { from: 'self', chain: [], profile: 'query' } },
  {
    name: 'here, without a lease',
    from: 'self',
    change: { from: 'self', chain: [], profile: 'dev', workspace: 'docs' },
  },
  {
    name: 'here, with a lease',
    from: 'self',
    change: { from: 'self', chain: [], profile: 'dev', workspace: 'docs' },
    lent: ['dev'],
  },
  { name: 'here, with a chain', from: 'self', change: { from: 'self', profile: 'query' } },
];

/** The requests, with leases on what the policy has. */
export function questionsFor(policy: CompiledPolicy): readonly (readonly [name: string, request: DecisionRequest])[] {
  return QUESTIONS.map(({ name, from, change, lent }) => {
    const leases = (lent ?? []).map((profile) => leaseOn(policy.config.profiles.get(profile)));
    return [`${from}: ${name}`, requestFrom(from, { ...(lent ? { leases } : {}), ...change })];
  });
}

/** Requests that go out, and every way in which they are refused. */
export const OUTBOUND: readonly OutboundRequest[] = [
  { to: 'laptop', profile: 'query', ship: false },
  { to: 'LAPTOP', profile: 'Build', workspace: 'App', ship: false },
  { to: testId('laptop').toUpperCase(), profile: 'query', ship: false },
  { to: 'laptop', ship: false },
  { to: 'laptop', profile: 'dev', ship: false },
  { to: 'laptop', profile: 'query', workspace: 'site', ship: false },
  { to: 'laptop', profile: 'query', workspace: 'app', ship: true },
  { to: 'desk', profile: 'query', ship: false },
  { to: 'desk', profile: 'a b', workspace: 'app', ship: false },
  { to: 'shelf', profile: 'query', ship: false },
  { to: 'nobody', profile: 'query', ship: false },
  { to: '', profile: 'query', ship: false },
];
