import { widerProfile } from './diff-profile.ts';
import type { Config, PolicyChange, Profile, WorkspaceConfig } from './types.ts';

/** Collects what somebody can name now and could not before, and tells each of it whole, once, however many got it. */
export interface GivenDetails {
  profile(profile: Profile): void;
  workspace(workspace: WorkspaceConfig): void;
  /** All that was collected, as `config` has it; subjects are `profile NAME` and `workspace NAME`. */
  changes(config: Config): readonly PolicyChange[];
}

/** A profile that can do nothing at all: beyond it is everything. */
const NOTHING: Profile = {
  name: '',
  capabilities: [],
  closure: [],
  rank: 0,
  runner: '',
  shell: 'deny',
  network: 'deny',
  requireExplicit: true,
  requireLease: true,
  requireApproval: true,
  timeoutMs: 0,
  maxOutputBytes: 0,
  onOverflow: 'fail',
  isolation: 'required',
  retry: 'never',
  onPartition: 'cancel',
  commands: [],
  workspaces: [],
  readPaths: [],
  env: [],
  secrets: [],
  artifacts: [],
};

/** Details of one comparison. */
export function createGivenDetails(): GivenDetails {
  const profiles = new Map<string, Profile>();
  const workspaces = new Map<string, WorkspaceConfig>();
  const told = (subject: string, what: string): PolicyChange => ({ subject, effect: 'gains', what });
  return {
    profile: (profile) => void profiles.set(profile.name, profile),
    workspace: (workspace) => void workspaces.set(workspace.name, workspace),
    changes: (config) => [
      ...[...profiles].flatMap(([name, profile]) =>
        widerProfile(config, NOTHING, config, profile).map((what) => told(`profile ${name}`, what)),
      ),
      ...[...workspaces].map(([name, { path }]) => told(`workspace ${name}`, `is the folder ${path}`)),
    ],
  };
}
