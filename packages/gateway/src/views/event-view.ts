import type { WatchedEvent } from '@writ/delegation';
import type { StreamItem } from '../client/types.ts';
import { viewGranted, viewOutcome } from './task-view.ts';
import { viewTurn } from './turn-view.ts';

/** An event of a task as one line of `task_watch`. */
export function viewEvent({ event, data }: WatchedEvent): StreamItem<'task_watch'> {
  const head = { seq: event.seq, at_ms: event.atMs, epoch: event.epoch };
  switch (event.kind) {
    case 'state':
      return {
        ...head,
        kind: 'state',
        state: event.state,
        ...(event.code === undefined ? {} : { code: event.code }),
        ...(event.message === undefined ? {} : { message: event.message }),
        ...(event.turn === undefined ? {} : { turn: viewTurn(event.turn) }),
        ...(event.waits === undefined ? {} : { approval: event.waits.approval, answer_by_ms: event.waits.answerByMs }),
      };
    case 'granted':
      return { ...head, kind: 'granted', granted: viewGranted(event.granted) };
    case 'output':
      return {
        ...head,
        kind: 'output',
        stream: event.stream,
        offset: event.offset,
        length: event.length,
        ...encodeBytes(data ?? new Uint8Array()),
      };
    case 'dropped':
      return { ...head, kind: 'dropped', stream: event.stream, bytes: event.bytes };
    case 'outcome':
      return { ...head, kind: 'outcome', outcome: viewOutcome(event.outcome) };
  }
}

/** Bytes as JSON can carry them: the text itself where it is valid UTF-8, else base64; both give the same bytes back. */
export function encodeBytes(bytes: Uint8Array): { readonly encoding: 'utf8' | 'base64'; readonly data: string } {
  try {
    return { encoding: 'utf8', data: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { encoding: 'base64', data: Buffer.from(bytes).toString('base64') };
  }
}
