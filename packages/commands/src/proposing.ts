import { type Proposal, type ProposeOutcome, readBasis, readRequest } from '@writ/authority';
import { WritError } from '@writ/core';
import type { Execution } from '@writ/lease-store';
import { type Asking, askingOf, type Decided } from './asking.ts';
import type { CommandDeskOptions, DeskParts } from './parts.ts';
import { directoryOf, hostRefusal, type Resolving, resolveStep } from './resolving.ts';
import type { CommandCaller, CommandSpec, Wish } from './types.ts';

/** How long a command may wait to start where nothing else ends sooner, milliseconds: a day. */
const LIFETIME_MS = 86_400_000;

/** A refusal, or the stored command. */
export type Proposed = ProposeOutcome;

/**
 * Proposes one command; the order of the steps is the order of the lines. Throws CANCELLED once `signal` is aborted before it
 * is proposed.
 */
export async function proposeCommand(
  options: DeskParts,
  caller: CommandCaller,
  {
    command,
    key,
    signal,
  }: { readonly command: CommandSpec; readonly key: string; readonly signal: AbortSignal | undefined },
): Promise<Proposed> {
  const asking = askingOf(options, caller, { kind: 'command', command }, key);
  const cwd = directoryOf(options, command, command.workspace, asking.place);
  // INVARIANT: 8 one key, one execution, whatever its files have become since.
  const known = options.gate.executions.findByKey({ ...asking.asker, idempotencyKey: key });
  if (known !== undefined) return { proposed: true, execution: sameOrConflict(known, command, cwd) };
  const decided = decideInTime(options, asking, 'command');
  if (!decided.allowed) return { proposed: false, refusal: decided.refusal };
  const unisolated = hostRefusal(decided);
  if (unisolated !== undefined) return { proposed: false, refusal: unisolated };
  const resolving = await resolveStep(options, { ...asking, signal }, decided, { ...command, cwd });
  return store(options, asking, resolving, { idempotencyKey: key, profile: decided.profile });
}

/** Decides what is not asked for too fast, and for what there is room: before files are read, and before a decision leaves its row. */
export function decideInTime(
  { rates, database, gate }: DeskParts,
  { asker, decide }: Asking,
  kind: Wish['kind'],
): Decided {
  const tooFast = rates.refusalOf(asker);
  return database.withWriteTx((tx) => {
    // A plan takes none of the room of commands.
    const isLooked = kind === 'command' || tooFast !== undefined;
    const refusal = isLooked ? gate.executions.refusalOf(tx, asker, tooFast) : undefined;
    return refusal === undefined ? decide(tx) : { allowed: false, refusal };
  });
}

/** Proposes what was resolved, together with the session that it rests on. */
export function store(
  options: CommandDeskOptions,
  { asker, basis, endsAtMs }: Pick<Asking, 'asker' | 'basis' | 'endsAtMs'>,
  resolving: Resolving,
  { idempotencyKey, profile }: Pick<Proposal, 'idempotencyKey' | 'profile'>,
): Proposed {
  if (!resolving.resolved) return { proposed: false, refusal: resolving.refusal };
  const { facts, digest, preview, request } = resolving.step;
  return options.database.withWriteTx((tx) => {
    options.recordSession(tx, { origin: asker.origin, id: asker.session, agent: asker.agent });
    return options.gate.executions.proposeIn(tx, {
      ...facts,
      ...{ asker, idempotencyKey, profile, digest, preview, basis },
      request: JSON.parse(JSON.stringify(request)),
      lifetimeMs: lifetimeMs(tx.nowMs, endsAtMs),
    });
  });
}

/** INVARIANT: 2 nothing waits longer than the writs that it came with, or the task that asked. */
export function lifetimeMs(nowMs: number, endsAtMs: number = Number.POSITIVE_INFINITY): number {
  return Math.max(1, Math.min(LIFETIME_MS, endsAtMs - nowMs));
}

/** Throws CONFLICT where the key belongs to something else, and says what is other. */
function sameOrConflict(known: Execution, command: CommandSpec, cwd: string): Execution {
  const request = readRequest(known.request);
  // A task asks as what it runs as, and as nothing else.
  const asked = readBasis(known.basis)?.ask ?? { ...command, profile: command.profile && known.profile };
  const isOther: Readonly<Record<string, boolean>> = {
    arguments: JSON.stringify(request?.argv) !== JSON.stringify(command.argv),
    'standard input': request?.stdin !== command.stdin,
    directory: request?.cwd !== cwd,
    profile: asked.profile !== command.profile,
    workspace: asked.workspace !== command.workspace,
  };
  const other = Object.keys(isOther).filter((part) => isOther[part]);
  if (other.length === 0) return known;
  const what = `the ${other.join(', the ')} ${other.length === 1 ? 'is' : 'are'} not the same`;
  throw new WritError('CONFLICT', `this key was used for another command: ${what}`, {
    nextSteps: ['run a different command under a new key'],
  });
}
