import type { CommandView, SentCommand, WatchedCommand, WishAnswer } from '@writ/commands';
import type { z } from 'zod';
import type { Decided, OperationOutput, StreamItem } from '../client/types.ts';
import type { commandView } from '../contract/executions.ts';
import { encodeBytes } from './event-view.ts';
import { type LeaseWanted, stepsAfter } from './lease-step.ts';
import { type LabelOf, workLine } from './task-view.ts';

/** A gated command as every surface shows it. */
export type CommandViewData = z.input<typeof commandView>;

const FINAL: ReadonlySet<CommandView['state']> = new Set([
  'completed',
  'failed',
  'denied',
  'expired',
  'cancelled',
  'outcome_unknown',
]);

export function viewCommand(command: CommandView, labelOf: LabelOf): CommandViewData {
  const { id, state, why, needs, target, profile, argv, cwd, requestedBy, outcome } = command;
  const { task, approval, window, lease, next, startedAtMs, endedAtMs } = command;
  return {
    ...{ execution: id, state, finished: FINAL.has(state), why, class: command.class, needs: [...needs], profile, cwd },
    work: workLine({ kind: 'argv', argv }),
    asked_by: labelOf(requestedBy),
    created_at_ms: command.createdAtMs,
    expires_at_ms: command.expiresAtMs,
    ...(target === undefined ? {} : { target }),
    ...(task === undefined ? {} : { task }),
    ...(approval === undefined ? {} : { approval }),
    ...(window === undefined ? {} : { window }),
    ...(lease === undefined ? {} : { lease }),
    ...(next === undefined ? {} : { next }),
    ...(startedAtMs === undefined ? {} : { started_at_ms: startedAtMs }),
    ...(endedAtMs === undefined ? {} : { ended_at_ms: endedAtMs }),
    ...(outcome === undefined ? {} : { code: outcome.code }),
    ...(outcome?.exitCode === undefined ? {} : { exit_code: outcome.exitCode }),
  };
}

/** A command that was asked of a peer, as it was last known here. */
export function viewSent(
  { id, peer, session, profile, argv, sentAtMs, known }: SentCommand,
  labelOf: LabelOf,
): OperationOutput<'list_executions'>['sent'][number] {
  return {
    ...{ at: labelOf(peer), state: known?.state ?? 'sent', session, sent_at_ms: sentAtMs },
    work: workLine({ kind: 'argv', argv }),
    ...(id === undefined ? {} : { execution: id }),
    ...(profile === undefined ? {} : { profile }),
    ...(known?.class === undefined ? {} : { class: known.class }),
    ...(known?.code === undefined ? {} : { code: known.code }),
    ...(known === undefined ? {} : { seen_at_ms: known.seenAtMs }),
  };
}

/** Who refused a wish, why, and what would help. */
export function viewRefusal(
  answer: Extract<WishAnswer, { accepted: false }>,
  by: Decided['by'],
  wanted: LeaseWanted,
): Decided {
  const { code, message } = answer.refusal;
  const next_steps = stepsAfter(answer.refusal, wanted);
  return { by, effect: 'deny', code, message, next_steps, generation: answer.generation };
}

/** One line of `execution_watch`. */
export function viewWatched(item: WatchedCommand, labelOf: LabelOf): StreamItem<'execution_watch'> {
  if (item.kind === 'state') return { kind: 'state', command: viewCommand(item.command, labelOf) };
  const { stream, atMs, next, data, droppedBytes } = item;
  const place = { stream, at_ms: atMs, next };
  if (data === undefined) return { ...place, kind: 'dropped', bytes: droppedBytes ?? 0 };
  return { ...place, kind: 'output', ...encodeBytes(data) };
}
