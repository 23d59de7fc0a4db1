import { WritError } from '@writ/core';
import type { TaskEventBody, TaskWait, WatchedEvent } from '@writ/delegation';
import { taskMessage } from '@writ/delegation';
import type * as wire from '@writ/wire';
import { outputStream, taskState } from './enums.ts';
import { given, readCode, readCount, readId, readText, readTime, refuseField } from './fields.ts';
import {
  grantedFromWire,
  grantedToWire,
  inlineResult,
  MAX_INLINE_BYTES,
  outcomeFromWire,
  outcomeToWire,
} from './outcome.ts';
import { turnFromWire, turnToWire } from './turn.ts';

/** An event of a task with its bytes, for the peer that sent the task. */
export function eventToWire(task: string, { event, data, result }: WatchedEvent): wire.Init<wire.WatchResponse> {
  const place = { seq: event.seq, atMs: event.atMs, epoch: event.epoch };
  switch (event.kind) {
    case 'state': {
      const { code } = event;
      const message = event.message && taskMessage(task, { ...event, message: event.message });
      const state = taskState.toWire(event.state);
      const turn = event.turn && turnToWire(event.turn);
      const waits = event.waits === undefined ? {} : waitToWire(event.waits);
      return {
        ...place,
        state: { state, ...given('code', code), ...given('message', message), ...given('turn', turn), ...waits },
      };
    }
    case 'granted':
      return { ...place, granted: grantedToWire(event.granted) };
    case 'output': {
      if (data?.length !== event.length) {
        throw new WritError('INTERNAL', `event ${event.seq} has ${data?.length ?? 'no'} of its ${event.length} bytes`);
      }
      return { ...place, output: { stream: outputStream.toWire(event.stream), offset: event.offset, data } };
    }
    case 'dropped':
      return { ...place, dropped: { stream: outputStream.toWire(event.stream), bytes: event.bytes } };
    case 'outcome': {
      // A long one is fetched.
      const isInline = result !== undefined && result.length <= MAX_INLINE_BYTES;
      return { ...place, outcome: { ...outcomeToWire(task, event.outcome), ...(isInline ? { result } : {}) } };
    }
  }
}

/** An event as a peer sent it. Throws BAD_REQUEST. */
export function eventFromWire(message: wire.WatchResponse): WatchedEvent {
  const place = {
    seq: readCount('seq', message.seq),
    atMs: readTime('at_ms', message.atMs),
    epoch: readCount('epoch', message.epoch),
  };
  const event = { ...place, ...bodyFromWire(message) };
  if (message.output !== undefined) return { event, data: message.output.data };
  return { event, ...given('result', message.outcome && inlineResult(message.outcome)) };
}

function waitToWire({ approval, answerByMs }: TaskWait): Pick<wire.StateChange, 'approval' | 'answerByMs'> {
  return { approval, answerByMs };
}

function waitFromWire({ approval, answerByMs }: wire.StateChange): TaskWait {
  return { approval: readId('state.approval', approval), answerByMs: readTime('state.answer_by_ms', answerByMs) };
}

function bodyFromWire(message: wire.WatchResponse): TaskEventBody {
  const { state, granted, output, dropped, outcome } = message;
  if (state !== undefined) {
    return {
      kind: 'state',
      state: taskState.fromWire('state', state.state),
      ...given('code', readCode('code', state.code)),
      ...given('message', readText(state.message)),
      ...given('turn', state.turn ? turnFromWire(state.turn) : undefined),
      ...(state.approval === '' ? {} : { waits: waitFromWire(state) }),
    };
  }
  if (granted !== undefined) return { kind: 'granted', granted: grantedFromWire(granted) };
  if (output !== undefined) {
    const stream = outputStream.fromWire('output.stream', output.stream);
    return { kind: 'output', stream, offset: readCount('output.offset', output.offset), length: output.data.length };
  }
  if (dropped !== undefined) {
    const stream = outputStream.fromWire('dropped.stream', dropped.stream);
    return { kind: 'dropped', stream, bytes: readCount('dropped.bytes', dropped.bytes) };
  }
  if (outcome !== undefined) return { kind: 'outcome', outcome: outcomeFromWire(outcome) };
  return refuseField('body', 'is missing');
}
