import type { Config, PeerConfig, Profile, SubjectRules } from '@writ/policy';

/** Node ids of the peers in `fakeConfig`. */
export const BETA_ID = 'wn-beta';
export const GAMMA_ID = 'wn-gamma';

function fakeProfile(name: string, rank: number): Profile {
  return {
    name,
    capabilities: rank === 0 ? ['inspect_status'] : ['read_repo', 'edit_repo'],
    closure: rank === 0 ? ['inspect_status'] : ['edit_repo', 'read_repo'],
    rank,
    runner: 'shell',
    shell: 'deny',
    network: 'deny',
    requireExplicit: rank > 1,
    requireLease: rank > 1,
    requireApproval: false,
    timeoutMs: 60_000,
    maxOutputBytes: 8_388_608,
    onOverflow: 'fail',
    isolation: rank === 0 ? 'none' : 'required',
    retry: 'never',
    onPartition: 'cancel',
    commands: [],
    readPaths: [],
    env: [],
    secrets: [],
    artifacts: [],
  };
}

const rules: SubjectRules = {
  profiles: ['query'],
  workspaces: ['app'],
  maxDepth: 0,
  enabled: true,
  mayRequestLease: false,
  acceptOrigins: [],
  ceilings: {},
  limits: {},
};

function fakePeer(label: string, id: string, address?: string): PeerConfig {
  return {
    ...rules,
    label,
    id,
    ...(address === undefined ? {} : { address }),
    outbound: { profiles: ['query', 'repo-dev'], workspaces: ['app'], ship: false },
    limits: { maxConcurrent: 4 },
  };
}

/** Two profiles, two peers, one workspace. */
export function fakeConfig(): Config {
  const config: Partial<Config> = {
    node: { name: 'alpha', defaultProfile: 'query', maxChain: 8 },
    gateway: {},
    leases: { maxMs: 86_400_000 },
    storage: { budgetBytes: 1, failedMs: 1, orphanedMs: 1, keepTasksMs: 7_776_000_000 },
    approvals: { mode: 'passphrase', fallback: 'deny', maxPending: 8 },
    profiles: new Map([
      ['query', fakeProfile('query', 0)],
      ['repo-dev', fakeProfile('repo-dev', 2)],
    ]),
    runners: new Map(),
    workspaces: new Map(),
    ceilings: {},
    peers: new Map([
      ['beta', fakePeer('beta', BETA_ID, '127.0.0.1:7420')],
      ['gamma', fakePeer('gamma', GAMMA_ID)],
    ]),
    origins: new Map(),
    upstreams: new Map(),
    self: rules,
  };
  return config as Config;
}
