import { type Ending, type Granted, isTerminal, type TaskOutcome, taskMessage } from '@writ/delegation';
import type * as wire from '@writ/wire';
import { taskState } from './enums.ts';
import {
  given,
  readBytes,
  readCode,
  readCount,
  readDigest,
  readDuration,
  readId,
  readName,
  readText,
  readTime,
  refuseField,
} from './fields.ts';

/** Longest envelope that goes along with the event that ends a task, bytes. */
export const MAX_INLINE_BYTES = 256 * 1024;

/** How a process ended, for the wire. */
function endingToWire(ending: Ending): wire.Init<wire.Ending> {
  switch (ending.kind) {
    case 'exit':
      return { exitCode: ending.exitCode };
    case 'signal':
      return { signal: ending.signal };
    case 'timeout':
      return { timeoutMs: ending.timeoutMs };
    case 'output-limit':
      return { outputLimitBytes: ending.limitBytes };
    case 'cancel':
      return { cancelCause: ending.cause };
    case 'dismissed':
      return { dismissed: true };
  }
}

function endingFromWire(message: wire.Ending | null): Ending | undefined {
  if (message === null) return undefined;
  if (message.exitCode !== undefined) return { kind: 'exit', exitCode: message.exitCode };
  if (message.signal !== undefined) return { kind: 'signal', signal: readId('ending.signal', message.signal) };
  if (message.timeoutMs !== undefined) {
    return { kind: 'timeout', timeoutMs: readDuration('ending.timeout_ms', message.timeoutMs) };
  }
  if (message.outputLimitBytes !== undefined) {
    return { kind: 'output-limit', limitBytes: readCount('ending.output_limit_bytes', message.outputLimitBytes) };
  }
  if (message.cancelCause !== undefined) return { kind: 'cancel', cause: readText(message.cancelCause) ?? '' };
  if (message.dismissed === true) return { kind: 'dismissed' };
  return undefined;
}

/** What a task came to, for the peer that sent it. */
export function outcomeToWire(task: string, outcome: TaskOutcome): wire.Init<wire.Outcome> {
  return {
    state: taskState.toWire(outcome.state),
    message: taskMessage(task, outcome),
    truncated: outcome.truncated,
    stdoutBytes: outcome.stdoutBytes,
    stderrBytes: outcome.stderrBytes,
    endedAtMs: outcome.endedAtMs,
    ...given('code', outcome.code),
    ...given('startedAtMs', outcome.startedAtMs),
    ...given('resultSha256', outcome.result),
    ...(outcome.ending === undefined ? {} : { ending: endingToWire(outcome.ending) }),
  };
}

/** What a peer says a task came to. Throws BAD_REQUEST. */
export function outcomeFromWire(message: wire.Outcome): TaskOutcome {
  const state = taskState.fromWire('outcome.state', message.state);
  if (!isTerminal(state)) return refuseField('outcome.state', `${state} is not an end`);
  return {
    state,
    message: readText(message.message) ?? '',
    truncated: message.truncated,
    stdoutBytes: readCount('outcome.stdout_bytes', message.stdoutBytes),
    stderrBytes: readCount('outcome.stderr_bytes', message.stderrBytes),
    endedAtMs: readTime('outcome.ended_at_ms', message.endedAtMs),
    ...given('code', readCode('outcome.code', message.code)),
    ...given('ending', endingFromWire(message.ending)),
    ...given('startedAtMs', readTime('outcome.started_at_ms', message.startedAtMs)),
    ...given('result', message.resultSha256 && readDigest('outcome.result_sha256', message.resultSha256)),
  };
}

/** The envelope that a peer sends along with the outcome; undefined where it sends none. Throws BAD_REQUEST. */
export function inlineResult(message: wire.Outcome): Uint8Array | undefined {
  if (message.result.length === 0) return undefined;
  if (message.resultSha256 === '') return refuseField('outcome.result', 'comes without its digest');
  return readBytes('outcome.result', message.result, MAX_INLINE_BYTES);
}

/** What was granted, for the wire. */
export function grantedToWire({ retry: _, ...granted }: Granted): wire.Init<wire.Granted> {
  return granted;
}

/** What a peer says it granted. Throws BAD_REQUEST. */
export function grantedFromWire(message: wire.Granted): Granted {
  const { isolation } = message;
  if (isolation !== 'required' && isolation !== 'none') return refuseField('granted.isolation', 'is unknown');
  return {
    // A task may have been asked for without a profile.
    requestedProfile: readName('granted.requested_profile', message.requestedProfile) ?? '',
    effectiveProfile: readName('granted.effective_profile', message.effectiveProfile) ?? '',
    effectiveRunner: readName('granted.effective_runner', message.effectiveRunner) ?? '',
    isolation,
    generation: readCount('granted.generation', message.generation),
    message: readText(message.message) ?? '',
    ...given('leaseId', message.leaseId === '' ? undefined : readId('granted.lease_id', message.leaseId)),
  };
}
