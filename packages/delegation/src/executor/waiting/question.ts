import type { PreviewLine, TaskWish } from '@writ/authority';
import { digestJson, formatDuration, formatSize, type Json, WritError } from '@writ/core';
import type { Decision, Grant, Profile, RunnerConfig } from '@writ/policy';
import type { NewTask, Task, TaskSpec } from '@writ/task-store';
import type { ExecutorParts } from '../parts.ts';

/** The part of a task that a person is asked about. */
type Asked = Pick<Task, 'sender' | 'origin' | 'session' | 'agent' | 'chain' | 'spec'>;

/** How much longer than its longest run a lease lives that a task waits for, milliseconds: it may have to queue. */
const LEASE_SPARE_MS = 3_600_000;

/** Everything that decides what a task does, as the configuration of this moment has it. */
interface Facts {
  readonly profile: Profile;
  readonly runner: RunnerConfig;
  readonly grant: Grant;
  /** Path of the workspace. */
  readonly workspace?: string;
}

/**
 * What a person is asked about: a lease where one is missing, else whether exactly this may run. Throws what `factsOf`
 * throws.
 */
export function wishOf(parts: WishParts, task: Asked, decision: Decision): TaskWish {
  return decision.code === 'LEASE_REQUIRED' ? leaseWish(parts, task, decision) : runWish(parts, task, decision);
}

type WishParts = Pick<ExecutorParts, 'engine' | 'workspaces'>;

/**
 * Digest of everything that decides what the task does: a yes to another one is no yes. Times of writs and leases are not
 * part of it; they bound when it runs, and are looked at when it starts.
 * INVARIANT: 5 computed when it is asked, when it is answered and in the transaction that starts it.
 */
export function digestOfRun(parts: WishParts, task: Asked, decision: Decision): string {
  const { sender, origin, session, agent, chain, spec } = task;
  const facts = factsOf(parts, task, decision);
  const said = { is: 'task question 1', sender, origin, session, agent, chain, spec, ...facts };
  return digestJson(JSON.parse(JSON.stringify(said)) as Json);
}

function runWish(parts: WishParts, task: Asked, decision: Decision): TaskWish {
  const facts = factsOf(parts, task, decision);
  return { kind: 'task', digest: digestOfRun(parts, task, decision), lines: linesOf(task, decision, facts) };
}

/** One use in this session, in this workspace, for as long as the task may take. */
function leaseWish(parts: WishParts, task: Asked, decision: Decision): TaskWish {
  const { profile, grant } = factsOf(parts, task, decision);
  const { maxMs } = parts.engine.snapshot().config.leases;
  const durationMs = Math.min(maxMs, grant.timeoutMs + LEASE_SPARE_MS);
  const { workspace } = task.spec;
  const workspaces = workspace === undefined ? {} : { workspaces: [workspace] };
  return { kind: 'lease', grant: { profile: profile.name, durationMs, maxUses: 1, ...workspaces } };
}

/** Throws POLICY_ERROR where the configuration of this moment does not have what the decision names. */
function factsOf({ engine, workspaces }: WishParts, { spec }: Asked, decision: Decision): Facts {
  const { config } = engine.snapshot();
  const profile = config.profiles.get(decision.effectiveProfile ?? '');
  const { grant } = decision;
  const name = decision.effectiveRunner ?? profile?.runner ?? '';
  const builtIn: RunnerConfig | undefined = name === 'shell' ? { name, kind: 'shell', argv: [] } : undefined;
  const runner = config.runners.get(name) ?? builtIn;
  if (!profile || !grant || !runner) throw new WritError('POLICY_ERROR', 'what would run is not configured');
  const workspace = spec.workspace === undefined ? undefined : workspaces(spec.workspace);
  return { profile, runner, grant, ...(workspace === undefined ? {} : { workspace }) };
}

/** All of what would run, for a person. */
function linesOf(task: Asked, decision: Decision, facts: Facts): readonly PreviewLine[] {
  const { spec, chain } = task;
  const { profile, runner, grant, workspace } = facts;
  const requested = decision.requestedProfile ?? spec.profile ?? profile.name;
  const { network } = grant;
  return [
    ...(chain.length > 1 ? [{ label: 'through', text: chain.join(', ') }] : []),
    { label: 'profile', text: requested === profile.name ? requested : `${profile.name}, asked for as ${requested}` },
    ...workLines(spec.input),
    ...(spec.workspace === undefined ? [] : workspaceLines(spec, spec.workspace, workspace)),
    { label: 'runner', text: [runner.name, ...runner.argv].join(' ') },
    { label: 'may', text: grant.closure.join(', ') },
    { label: 'commands', text: commandsOf(profile, grant) },
    { label: 'network', text: typeof network === 'string' ? network : network.join(', ') },
    { label: 'isolation', text: grant.isolation },
    { label: 'environment', text: profile.env.join(', ') || 'nothing of this node’s' },
    {
      label: 'at most',
      text: `${formatDuration(runTimeMs(spec, grant))}, ${formatSize(grant.maxOutputBytes)} of output`,
    },
    { label: 'files kept', text: [...profile.artifacts, ...(spec.artifacts ?? [])].join(', ') || 'none' },
    { label: 'may be handed on', text: handedOn(grant) },
  ];
}

function runTimeMs({ timeoutMs }: TaskSpec, grant: Grant): number {
  return Math.min(grant.timeoutMs, timeoutMs ?? Number.POSITIVE_INFINITY);
}

function commandsOf({ commands }: Profile, { closure }: Grant): string {
  if (closure.includes('shell')) return 'every one';
  return commands.map((pattern) => pattern.join(' ')).join('; ') || 'none';
}

function handedOn({ closure, depth }: Grant): string {
  return closure.includes('subdelegate') && depth > 0 ? `${depth} further nodes` : 'no';
}

/** Each argument on a line of its own, so that where it ends can be seen. */
function workLines(input: NewTask['spec']['input']): readonly PreviewLine[] {
  if (input.kind === 'prompt') return [{ label: 'prompt', text: input.prompt }];
  return input.argv.map((text, place) => ({ label: `argument ${place}`, text }));
}

function workspaceLines(spec: TaskSpec, name: string, path: string | undefined): readonly PreviewLine[] {
  const { ref, shipped } = spec;
  const at = shipped === undefined ? (ref ?? 'its HEAD') : `commit ${shipped.commit}, sent along`;
  return [
    { label: 'workspace', text: `${name} (${path ?? 'not configured'})` },
    { label: 'as of', text: at },
  ];
}
