import { createHash } from 'node:crypto';
import { type Clock, isWritError, WritError } from '@writ/core';
import type { ContentStore } from '@writ/evidence';
import type { PeerClient } from '../../peer-port.ts';
import { invalid, ownFault } from './faults.ts';
import { createPipe } from './pipe.ts';

/** How long a stream may be silent before it is broken off and tried again, milliseconds. */
const SILENCE_MS = 60_000;

/** Something that a result names, or the envelope itself. */
export interface Wanted {
  /** For messages: `bundle`, `artifact/NAME`, … */
  readonly name: string;
  readonly sha256: string;
  /** As it was signed; absent: not known before it is here. */
  readonly bytes?: number;
  readonly maxBytes: number;
}

/** Where the bytes of a download go. */
export interface Sink {
  /** Rejects with what is this node's own fault. */
  write(piece: Uint8Array): Promise<void>;
  /** Keeps what was written. */
  end(): Promise<void>;
  /** Keeps nothing. Never rejects. */
  drop(): Promise<void>;
}

/** Something on its way here; every try goes on where the last one broke off. */
export interface Download {
  /**
   * Takes what the peer has from here on. True when all of it is here, with its digest; false where `signal` aborts.
   * Throws what the client throws, EVIDENCE_INVALID where it is not what was named, DATABASE_ERROR for this node's disk;
   * after these two it is over.
   */
  fetch(from: Source): Promise<boolean>;
  drop(): Promise<void>;
}

/** Who sends it. */
export interface Source {
  readonly client: PeerClient;
  readonly task: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called before anything is asked for. */
  readonly waited: () => void;
  /** Called for every piece. */
  readonly progressed: () => void;
}

export function createDownload(wanted: Wanted, sink: Sink): Download {
  const hash = createHash('sha256');
  const most = wanted.bytes ?? wanted.maxBytes;
  let at = 0;
  const take = async (piece: Uint8Array): Promise<void> => {
    if (at + piece.length > most) throw invalid(wanted.name, `it is longer than ${most} bytes`);
    hash.update(piece);
    await sink.write(piece);
    at += piece.length;
  };
  const finish = async (): Promise<void> => {
    if (at < (wanted.bytes ?? 0)) throw invalid(wanted.name, `it ends after ${at} bytes of ${wanted.bytes}`);
    // Before anything is kept: what a peer sends under a wrong name is not stored under the right one either.
    if (hash.digest('hex') !== wanted.sha256) throw invalid(wanted.name, 'it is not what was signed');
    await sink.end();
  };
  return {
    async fetch(from) {
      from.waited();
      try {
        for await (const piece of withoutSilence(from, wanted.sha256, at)) {
          if (from.signal.aborted) return false;
          await take(piece);
          from.progressed();
        }
        if (from.signal.aborted) return false;
        await finish();
        return true;
      } catch (error) {
        if (from.signal.aborted) return false;
        if (isWritError(error, 'NOT_FOUND')) throw invalid(wanted.name, 'its node does not have it');
        throw error;
      }
    },
    drop: sink.drop,
  };
}

/** The pieces of a stream that are any; TIMED_OUT where none comes for too long. */
async function* withoutSilence(from: Source, sha256: string, offset: number): AsyncGenerator<Uint8Array> {
  const { client, task, clock } = from;
  const silent = new AbortController();
  const arm = (): (() => void) => clock.setTimer(SILENCE_MS, () => silent.abort());
  let disarm = arm();
  try {
    for await (const piece of client.fetch(task, sha256, offset, AbortSignal.any([from.signal, silent.signal]))) {
      if (piece.length === 0) continue;
      disarm();
      yield piece;
      disarm = arm();
    }
  } finally {
    disarm();
  }
  if (silent.signal.aborted) throw new WritError('TIMED_OUT', 'the peer sent nothing for too long');
}

/** Keeps the bytes in memory; `done` gets them whole. */
export function memorySink(done: (bytes: Uint8Array) => void): Sink {
  const pieces: Uint8Array[] = [];
  return {
    async write(piece) {
      pieces.push(piece);
    },
    async end() {
      done(Buffer.concat(pieces));
    },
    async drop() {
      pieces.length = 0;
    },
  };
}

/** Keeps the bytes in the content store. */
export function storeSink(content: ContentStore, maxBytes: number): Sink {
  const pipe = createPipe();
  const stored = content.put(pipe.bytes, maxBytes).catch((error: unknown) => {
    throw ownFault(error);
  });
  const settled = stored.then(
    () => undefined,
    () => undefined,
  );
  return {
    async write(piece) {
      await Promise.race([pipe.give(piece), stored]);
    },
    async end() {
      pipe.end();
      await stored;
    },
    async drop() {
      pipe.fail(new WritError('CANCELLED', 'it is not wanted any more'));
      await settled;
    },
  };
}
