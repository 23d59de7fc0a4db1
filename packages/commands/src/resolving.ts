import {
  type ActionRequest,
  actionLines,
  type CommandFacts,
  missingRight,
  type Preview,
  type PreviewLine,
  previewAction,
  type Refusal,
  resolveAction,
  runsRelative,
  unboundFiles,
  workspaceOf,
} from '@writ/authority';
import { quote, WritError } from '@writ/core';
import { type Classification, obeysFolder, type Profile } from '@writ/policy';
import type { Asking, Decided } from './asking.ts';
import type { CommandDeskOptions, DeskParts, Looked } from './parts.ts';
import { filesToLookAt, preparingTurn, tooMany } from './preparing.ts';
import type { CommandStep } from './types.ts';

/** A command as it would run now; nothing of it is held any more. */
export interface ResolvedStep {
  readonly request: ActionRequest;
  readonly facts: CommandFacts;
  readonly digest: string;
  readonly preview: Preview;
  /** For a plan; undefined: it cannot be shown. */
  readonly lines: readonly PreviewLine[] | undefined;
}

export type Resolving =
  | { readonly resolved: true; readonly step: ResolvedStep }
  | { readonly resolved: false; readonly refusal: Refusal };

/** Where a step runs; that a workspace is there, and may be used, policy says. */
export function directoryOf(
  { workspacePath }: Pick<CommandDeskOptions, 'workspacePath'>,
  { cwd }: CommandStep,
  workspace: string | undefined,
  place: string = '/',
): string {
  return cwd ?? (workspace === undefined ? undefined : workspacePath(workspace)) ?? place;
}

/** The profile by its name, as it stands now. Throws PROFILE_NOT_ALLOWED where it is gone. */
export function requireProfile({ engine }: Pick<CommandDeskOptions, 'engine'>, name: string): Profile {
  const profile = engine.snapshot().config.profiles.get(name);
  if (profile !== undefined) return profile;
  throw new WritError('PROFILE_NOT_ALLOWED', `the profile ${quote(name)} is not there any more`, {
    nextSteps: ['ask with another profile'],
  });
}

/** Why a profile that asks for a sandbox runs no gated command: that runs on the machine itself. */
export function hostRefusal({
  isolation,
  profile,
}: {
  readonly isolation: Profile['isolation'];
  readonly profile: string;
}): Refusal | undefined {
  if (isolation === 'none') return undefined;
  return {
    code: 'ISOLATION_UNAVAILABLE',
    message: `profile ${quote(profile)} needs isolation, which a command on the machine itself never has`,
    nextSteps: [
      'hand it over as a task, which runs in a sandbox: writ delegate',
      'or, on the executing node, write isolation = "none" in the profile: its commands and tasks run as the node’s own user then',
    ],
  };
}

/** INVARIANT: 5 after a change of the folder nobody can say which file a relative path is, and so which one was approved. */
export function movedCommand({ commands }: Pick<Classification, 'commands'>): Refusal | undefined {
  const moved = commands.find(({ unplaced, host, argv }) => unplaced && host === 'self' && runsRelative(argv));
  if (moved === undefined) return undefined;
  return {
    code: 'BAD_REQUEST',
    message: `which file ${quote(moved.argv.join(' '))} runs cannot be told after a change of the folder`,
    nextSteps: ['name the file that runs by its absolute path', 'or run it by itself, with its folder (--cwd)'],
  };
}

/** What of a decision a step is resolved under. */
export type Granted = Pick<
  Extract<Decided, { allowed: true }>,
  'profile' | 'closure' | 'runner' | 'network' | 'isolation'
>;

/** A step with the folder that it runs in. */
type PlacedStep = CommandStep & { readonly cwd: string };

/** Who asks for a step, under what, and until when somebody waits for what is found. */
export interface StepAsking extends Pick<Asking, 'asker' | 'shown' | 'basis'> {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Looks at a step when it is the asker's turn, and keeps nothing of it. Throws CANCELLED once `signal` is aborted: nobody is asked for
 * what nobody waits for.
 */
export async function resolveStep(
  options: DeskParts,
  asking: StepAsking,
  granted: Granted,
  step: PlacedStep,
): Promise<Resolving> {
  const { asker, signal } = asking;
  const turn = await options.turns.take(preparingTurn(asker, signal), () => lookAt(options, asking, granted, step));
  if (!turn.taken) return { resolved: false, refusal: tooMany(asker) };
  if (signal?.aborted) throw new WritError('CANCELLED', 'nobody waits for the command any more');
  return turn.value;
}

/** Neither a right nor a person is asked for what nobody knows; what it stands on passes, or is for the owner to mend. */
const NOT_TOLD: Readonly<Record<NonNullable<Looked['untold']>, Refusal>> = {
  late: {
    code: 'TIMED_OUT',
    message: 'what the command does could not be told in the time that there is',
    nextSteps: ['ask again', 'or for less in one command'],
  },
  full: {
    code: 'LIMIT_EXCEEDED',
    message: 'too many commands wait to be looked at',
    nextSteps: ['ask again when some of them were answered'],
  },
  fault: {
    code: 'RUNNER_UNAVAILABLE',
    message: 'no command can be looked at on that node, whatever it does',
    nextSteps: ['see what is wrong there: writ doctor', 'ask again when that is mended'],
  },
  closing: {
    code: 'SHUTTING_DOWN',
    message: 'the node is shutting down',
    nextSteps: ['ask again when it runs'],
  },
};

/**
 * Classifies a step, and reads all that decides what it would do. What lacks a right is refused before any of its files is looked at:
 * whoever may run nothing learns nothing.
 */
async function lookAt(
  options: CommandDeskOptions,
  { asker, shown, basis, signal }: StepAsking,
  granted: Granted,
  { argv, cwd, stdin }: PlacedStep,
): Promise<Resolving> {
  const { origin, session, agent } = asker;
  const { profile, runner, network, isolation } = granted;
  const { classification, decided, untold = 'late' } = await options.classify(argv, cwd, asker);
  if (!decided) return { resolved: false, refusal: NOT_TOLD[untold] };
  const called = { argv, cwd, profile, basis, ...(stdin === undefined ? {} : { stdin }) };
  const facts = options.factsOf(classification, called);
  const missing = missingRight({ ...granted, granted: true }, facts);
  if (missing !== undefined) return { resolved: false, refusal: missing };
  const moved = movedCommand(classification);
  if (moved !== undefined) return { resolved: false, refusal: moved };
  const request: ActionRequest = {
    ...{ origin, session, agent, argv, cwd, profile, runner, network, isolation },
    // What runs on another host is bound by its arguments alone: its files are not here.
    inner: classification.commands.filter(({ host }) => host === 'self').map((inner) => inner.argv),
    ...(stdin === undefined ? {} : { stdin }),
    ...(facts.target === undefined ? {} : { target: facts.target }),
  };
  const environment = options.environmentOf(requireProfile(options, profile));
  const resolved = await resolveAction(request, environment, filesToLookAt(options.files, signal));
  if (!resolved.resolved) return resolved;
  const { action, digest, folders, copied, release } = resolved.action;
  await release();
  const workspace = workspaceOf(basis);
  const about = {
    ...facts,
    ...(workspace === undefined ? {} : { workspace }),
    obeysFolder: obeysFolder(classification),
    recognised: recognisedOf(classification),
    unbound: unboundFiles({ commands: classification.commands, folders }),
    copied,
  };
  const preview = previewAction(action, shown, about);
  return { resolved: true, step: { request, facts, digest, preview, lines: actionLines(action, about) } };
}

/** Of what stands inside, the least. */
function recognisedOf({ commands }: Classification): 'command' | 'program' | 'nothing' {
  if (commands.some(({ rule }) => rule === 'unknown-program')) return 'nothing';
  return commands.some(({ rule }) => rule === 'unknown-command') ? 'program' : 'command';
}
