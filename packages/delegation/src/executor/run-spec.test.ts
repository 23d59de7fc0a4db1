import { compileConfig, type Decision, type Snapshot } from '@writ/policy';
import { describe, expect, it } from 'vitest';
import { runSpecOf } from './run-spec.ts';

const CONFIG = `schema = 1
[node]
name = "box"
default_profile = "query"
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
[profiles.all]
capabilities = ["edit_repo", "use_network", "use_secrets"]
runner = "shell"
shell = "allow"
require_explicit = true
require_lease = true
network = ["packages.example:443", "other.example:443"]
read_paths = ["/srv/data"]
secrets = ["token"]
commands = [["true"]]
`;

/** What a run of profile `all` may reach where just this closure was granted. */
function reachOf(...closure: readonly string[]): ReturnType<typeof runSpecOf>['reach'] {
  return specOf(closure).reach;
}

function specOf(closure: readonly string[]): ReturnType<typeof runSpecOf> {
  const compiled = compileConfig(CONFIG);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.violations));
  const grant = { closure, network: ['packages.example:443'], isolation: 'required', maxOutputBytes: 1 };
  const decision = { effectiveProfile: 'all', effectiveRunner: 'shell', grant } as unknown as Decision;
  const task = { id: 't', sender: 'wn-b', spec: { input: { kind: 'argv', argv: ['true'] } }, bounds: {} };
  return runSpecOf(task as unknown as Parameters<typeof runSpecOf>[0], {
    ...{ decision, snapshot: compiled.policy as unknown as Snapshot, nonce: 'n', epoch: 1, timeoutMs: 1 },
    workspaces: () => undefined,
  });
}

const NOTHING = { workspace: 'none', scratch: false, readPaths: [], network: 'deny', secrets: [] };

describe('what a run may reach', () => {
  it.each<[string, object]>([
    ['inspect_status', {}],
    ['shell', {}],
    ['interactive', {}],
    ['subdelegate', {}],
    ['read_repo', { workspace: 'read' }],
    ['edit_repo', { workspace: 'write' }],
    ['run_tests', { scratch: true }],
    ['read_files', { readPaths: ['/srv/data'] }],
    ['use_network', { network: ['packages.example:443'] }],
    ['use_secrets', { secrets: ['token'] }],
  ])('by %s is this and nothing else of the profile', (capability, more) => {
    expect(reachOf(capability)).toEqual({ ...NOTHING, ...more });
  });

  it('by reading and editing together is what editing gives', () => {
    expect(reachOf('read_repo', 'edit_repo').workspace).toBe('write');
  });

  it('is in a sandbox where that was granted, and any command only by the shell', () => {
    expect(specOf(['run_tests'])).toMatchObject({ sender: 'wn-b', isolation: 'required', commands: [['true']] });
    expect(specOf(['shell']).commands).toBe('allow');
  });
});
