import { quote, WritError } from '@writ/core';
import type { Decision, Profile, RunnerConfig, Snapshot } from '@writ/policy';
import type { Task } from '@writ/task-store';
import type { Reach, RunSpec } from '../types.ts';

/** The part of a task that a run is made from. */
type Asked = Pick<Task, 'id' | 'sender' | 'spec' | 'bounds'>;

/**
 * What the runner is told about a start that was permitted, from the snapshot that the decision was made under.
 * Throws RUNNER_NOT_ALLOWED where the runner takes another kind of input, RUNNER_UNAVAILABLE, PROFILE_UNKNOWN or
 * WORKSPACE_NOT_ALLOWED where the configuration has no such thing.
 */
export function runSpecOf(
  task: Asked,
  start: {
    readonly decision: Decision;
    readonly snapshot: Snapshot;
    readonly nonce: string;
    readonly epoch: number;
    readonly timeoutMs: number;
    readonly workspaces: (name: string) => string | undefined;
  },
): RunSpec {
  const { decision, snapshot } = start;
  const profile = snapshot.config.profiles.get(decision.effectiveProfile ?? '');
  const grant = decision.grant;
  if (!profile || !grant) throw new WritError('PROFILE_UNKNOWN', 'the effective profile is not configured');
  const runner = runnerOf(snapshot, decision.effectiveRunner ?? profile.runner);
  checkInput(task, runner);
  const workspace = workspaceOf(task, start.workspaces);
  return {
    task: task.id,
    sender: task.sender,
    epoch: start.epoch,
    nonce: start.nonce,
    runner,
    input: task.spec.input,
    ...(workspace ? { workspace } : {}),
    timeoutMs: start.timeoutMs,
    maxOutputBytes: grant.maxOutputBytes,
    onOverflow: profile.onOverflow,
    isolation: grant.isolation,
    reach: reachOf(grant, profile),
    env: profile.env,
    commands: grant.closure.includes('shell') ? 'allow' : profile.commands,
    rights: grant.closure,
  };
}

/** What each capability gives of the machine, and what is missing takes away. */
// INVARIANT: 1 what a run reaches is what was granted, and no more than its profile names.
function reachOf({ closure, network }: NonNullable<Decision['grant']>, profile: Profile): Reach {
  const has = (capability: string): boolean => closure.includes(capability);
  return {
    workspace: has('edit_repo') ? 'write' : has('read_repo') ? 'read' : 'none',
    scratch: has('run_tests'),
    readPaths: has('read_files') ? profile.readPaths : [],
    network: has('use_network') ? network : 'deny',
    secrets: has('use_secrets') ? profile.secrets : [],
  };
}

function runnerOf(snapshot: Snapshot, name: string): RunnerConfig {
  const runner = snapshot.config.runners.get(name);
  if (runner) return runner;
  if (name === 'shell') return { name, kind: 'shell', argv: [] };
  throw new WritError('RUNNER_UNAVAILABLE', `runner ${quote(name)} is not configured`);
}

/** A shell runner takes an argv, a command runner a prompt. */
function checkInput(task: Asked, runner: RunnerConfig): void {
  const takes = runner.kind === 'shell' ? 'argv' : 'prompt';
  const given = task.spec.input.kind;
  if (given === takes) return;
  throw new WritError('RUNNER_NOT_ALLOWED', `runner ${quote(runner.name)} takes ${takes}, not ${given}`, {
    nextSteps: [takes === 'argv' ? 'give a command after --' : 'give a prompt instead of a command'],
  });
}

function workspaceOf(task: Asked, workspaces: (name: string) => string | undefined): RunSpec['workspace'] {
  const { workspace: name, ref } = task.spec;
  if (name === undefined) return undefined;
  const path = workspaces(name);
  if (path === undefined) throw new WritError('WORKSPACE_NOT_ALLOWED', `workspace ${quote(name)} is not configured`);
  return { name, path, ...(ref === undefined ? {} : { ref }) };
}
