/** How dangerous a capability is: 0 probe, 1 read, 2 to 4 high-risk. */
type Tier = 0 | 1 | 2 | 3 | 4;

/** The lowest tier that is high-risk: it needs explicit naming and a lease. */
export const HIGH_RISK_TIER = 2;

/** The closed vocabulary with its tiers. `shell` is no word of a configuration but a member of closures. */
const TIERS = {
  inspect_status: 0,
  inspect_logs: 0,
  inspect_processes: 0,
  inspect_disk: 0,
  inspect_network: 0,
  read_repo: 1,
  read_files: 1,
  edit_repo: 2,
  run_tests: 2,
  use_network: 2,
  subdelegate: 2,
  interactive: 3,
  push_repo: 3,
  use_secrets: 3,
  install_packages: 4,
  manage_services: 4,
  edit_system: 4,
  destructive: 4,
  shell: 2,
} as const satisfies Record<string, Tier>;

type Member = keyof typeof TIERS;

/** Every member of a closure, in vocabulary order; the place in this list is its bit in a mask. */
const MEMBERS: readonly Member[] = Object.keys(TIERS).filter((name): name is Member => name in TIERS);

const BITS: ReadonlyMap<string, number> = new Map(MEMBERS.map((name, place) => [name, 1 << place]));

/** Every capability that a profile may declare. */
export const CAPABILITIES: readonly string[] = MEMBERS.filter((name) => name !== 'shell');

const TIER_MASKS: readonly number[] = ([0, 1, 2, 3, 4] as const).map((tier) =>
  maskOf(MEMBERS.filter((name) => TIERS[name] === tier)),
);

/** What `shell = "allow"` brings with it. */
const SHELL_MASK = maskOf(['shell']) | (TIER_MASKS[0] ?? 0);

/** Capabilities that act on the workspace of the task, so that a request for them has to name one. */
export const WORKSPACE_MASK = maskOf(['read_repo', 'edit_repo', 'run_tests', 'push_repo']);

/** The right to hand a part of the work on. */
export const SUBDELEGATE_MASK = maskOf(['subdelegate']);

/** Capabilities as a bit mask; names outside the vocabulary add nothing. */
export function maskOf(names: readonly string[]): number {
  let mask = 0;
  for (const name of names) mask |= BITS.get(name) ?? 0;
  return mask;
}

/** The members of a mask, sorted by name. */
export function membersOf(mask: number): readonly string[] {
  return MEMBERS.filter((_, place) => (mask & (1 << place)) !== 0).sort();
}

/** True where every member of `inner` is one of `outer`. */
export function maskWithin(inner: number, outer: number): boolean {
  return (inner & ~outer) === 0;
}

/** Highest tier in a mask; 0 for an empty one. */
export function tierOf(mask: number): Tier {
  for (const tier of [4, 3, 2, 1] as const) if ((mask & (TIER_MASKS[tier] ?? 0)) !== 0) return tier;
  return 0;
}

/** Declared capabilities with what they, the shell and the network imply, as a mask. */
export function closureMask(declared: readonly string[], shell: 'allow' | 'deny', networkOpen: boolean): number {
  return maskOf(declared) | (shell === 'allow' ? SHELL_MASK : 0) | (networkOpen ? maskOf(['use_network']) : 0);
}

/** The high-risk members of a mask, for messages. */
export function highRiskMembers(mask: number): readonly string[] {
  return membersOf(mask & ~((TIER_MASKS[0] ?? 0) | (TIER_MASKS[1] ?? 0)));
}
