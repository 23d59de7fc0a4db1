import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type Logger, nextTurn, sha256Hex, toWritError, WritError } from '@writ/core';
import { namesIn, openExisting } from '../kept-files.ts';
import type { OutputPage, OutputPiece } from './types.ts';

/** The growing output of one command. */
export interface OutputWriter {
  /** In the order of the calls, each to be awaited. Never rejects. */
  append(stream: OutputPiece['stream'], bytes: Uint8Array): Promise<void>;
  /** Whether a part of it was not kept. */
  readonly isCut: boolean;
  /** Why the disk refused a part of it; undefined: it did not. */
  readonly fault: string | undefined;
  /** To be called last: says what was not kept. */
  close(): Promise<undefined>;
}

/** One file a command: pieces of both streams with their times, as they came; readable by the node's user only. */
export interface OutputLogs {
  writer(id: string, capBytes: number): OutputWriter;
  read(id: string, offset: number): Promise<OutputPage>;
  /** Removes the files of commands that `isKept` does not know, until `signal`; returns how many. */
  remove(isKept: (id: string) => boolean, signal: AbortSignal): Promise<number>;
}

/** A piece in the file: kind (1), time (6), length (4), big endian, then its bytes. */
const HEAD_BYTES = 11;
const KINDS = { stdout: 1, stderr: 2 } as const;
/** Added to a kind: the bytes are the number of those that were not kept. */
const DROPPED = 2;
/** Longest piece, and most of the file that one read looks at. */
const LONGEST_PIECE_BYTES = 64 * 1024;
const PAGE_BYTES = 4 * LONGEST_PIECE_BYTES;
/** The file of a command with an id of the usual form. */
const NAME = /^([0-9a-f-]{36})\.out$/;
/** So many files are looked at in one turn. */
const LOOKED_AT = 50;

export function createOutputLogs(root: string, clock: Pick<Clock, 'nowMs'>, logger: Logger): OutputLogs {
  return {
    writer: (id, capBytes) => createWriter({ path: fileOf(root, id), root, capBytes, clock, logger }),
    async read(id, offset) {
      const file = await openExisting(fileOf(root, id));
      if (file === undefined) return { pieces: [], next: offset };
      try {
        const buffer = Buffer.alloc(PAGE_BYTES);
        const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
        return piecesOf(buffer.subarray(0, bytesRead), offset);
      } finally {
        await file.close();
      }
    },
    async remove(isKept, signal) {
      let removed = 0;
      for (const [place, name] of (await namesIn(root)).entries()) {
        const [, id] = NAME.exec(name) ?? [];
        // Everybody else has a turn.
        if (place % LOOKED_AT === 0) await nextTurn();
        if (signal.aborted) break;
        if (id === undefined || isKept(id)) continue;
        await rm(join(root, name), { force: true });
        removed += 1;
      }
      return removed;
    },
  };
}

function createWriter(options: {
  readonly path: string;
  readonly root: string;
  readonly capBytes: number;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly logger: Logger;
}): OutputWriter {
  const { path, root, capBytes, clock, logger } = options;
  const dropped = { stdout: 0, stderr: 0 };
  let file: FileHandle | undefined;
  let fault: string | undefined;
  let kept = 0;
  const write = async (kind: number, bytes: Uint8Array): Promise<void> => {
    await mkdir(root, { recursive: true, mode: 0o700 });
    file ??= await open(
      path,
      constants.O_CREAT | constants.O_APPEND | constants.O_WRONLY | constants.O_NOFOLLOW,
      0o600,
    );
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt8(kind, 0);
    head.writeUIntBE(clock.nowMs(), 1, 6);
    head.writeUInt32BE(bytes.length, 7);
    await file.appendFile(Buffer.concat([head, bytes]));
  };
  const failed = (error: unknown): void => {
    fault ??= toWritError(error).message;
    logger.warn('the output of a command cannot be kept', { error: String(error) });
  };
  return {
    get fault() {
      return fault;
    },
    get isCut() {
      return dropped.stdout + dropped.stderr > 0;
    },
    async append(stream, bytes) {
      const room = fault === undefined ? Math.max(0, capBytes - kept) : 0;
      const wanted = bytes.subarray(0, room);
      let written = 0;
      try {
        while (written < wanted.length) {
          const piece = wanted.subarray(written, written + LONGEST_PIECE_BYTES);
          await write(KINDS[stream], piece);
          written += piece.length;
        }
      } catch (error) {
        failed(error);
      }
      kept += written;
      dropped[stream] += bytes.length - written;
    },
    async close() {
      try {
        for (const stream of ['stdout', 'stderr'] as const) {
          const count = dropped[stream];
          if (count > 0 && fault === undefined) await write(KINDS[stream] + DROPPED, Buffer.from(String(count)));
        }
        await file?.close();
      } catch (error) {
        failed(error);
      }
      return undefined;
    },
  };
}

function piecesOf(page: Buffer, start: number): OutputPage {
  const pieces: OutputPiece[] = [];
  let at = 0;
  while (at + HEAD_BYTES <= page.length) {
    const kind = page.readUInt8(at);
    const length = page.readUInt32BE(at + 7);
    if (kind < KINDS.stdout || kind > KINDS.stderr + DROPPED || length > LONGEST_PIECE_BYTES) throw noPlace(start + at);
    const end = at + HEAD_BYTES + length;
    // The rest of it is being written, or on the next page.
    if (end > page.length) break;
    const bytes = page.subarray(at + HEAD_BYTES, end);
    const isDropped = kind > KINDS.stderr;
    pieces.push({
      offset: start + at,
      atMs: page.readUIntBE(at + 1, 6),
      stream: (isDropped ? kind - DROPPED : kind) === KINDS.stdout ? 'stdout' : 'stderr',
      ...(isDropped ? { droppedBytes: Number(bytes.toString()) } : { data: bytes }),
    });
    at = end;
  }
  return { pieces, next: start + at };
}

function noPlace(offset: number): WritError {
  return new WritError('BAD_REQUEST', `no piece of the output begins at ${offset}`, {
    nextSteps: ['go on at the offset that the last answer named, or begin at 0'],
  });
}

/** Ids are this node's own; one of another form names its file by its digest all the same. */
function fileOf(root: string, id: string): string {
  return join(root, `${/^[0-9a-f-]{36}$/.test(id) ? id : sha256Hex(id)}.out`);
}
