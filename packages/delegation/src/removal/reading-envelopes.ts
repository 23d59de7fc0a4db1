import { isWritError, nextTurn } from '@writ/core';
import { type Result, readResult } from '@writ/evidence';
import type { Sweep } from './types.ts';

/** Envelopes whose digests are read at once, and names that one transaction notes. */
const READ_AT_ONCE = 20;
const NAMES_AT_ONCE = 500;

/** A digest as results write it, and what may be the payload of an envelope. */
const DIGEST = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;
const BASE64 = /[\w+/-]{88,}/g;

/** What is known of one envelope. */
interface Named {
  readonly sha256: string;
  /** Empty: it cannot be read. */
  readonly task: string;
  readonly names: readonly string[];
}

/** Notes what every envelope names that was not looked at yet. */
export async function readEnvelopes(sweep: Sweep): Promise<void> {
  const { database, leftovers, signal } = sweep;
  while (!signal.aborted) {
    const unread = database.withReadTx((tx) => leftovers.unread(tx, READ_AT_ONCE));
    if (unread.length === 0) return;
    let waiting: Named[] = [];
    for (const sha256 of unread) {
      const named = readOne(sweep, sha256);
      if (count(waiting) + named.names.length > NAMES_AT_ONCE) {
        note(sweep, waiting);
        waiting = [];
      }
      waiting.push(named);
      // A long one takes a good part of a second.
      await nextTurn();
    }
    note(sweep, waiting);
    // Behind the last ones no further end may come in between.
    if (unread.length === READ_AT_ONCE) await sweep.breathe();
  }
}

function readOne({ database, evidence, logger }: Sweep, sha256: string): Named {
  const envelope = database.withReadTx((tx) => evidence.results.envelope(tx, sha256));
  try {
    if (envelope === undefined) return { sha256, task: '', names: [] };
    const result = readResult(envelope);
    return { sha256, task: result.task, names: namesOf(result) };
  } catch (error) {
    if (!isWritError(error, 'EVIDENCE_INVALID')) throw error;
    logger.warn('an envelope cannot be read, and is kept with all that it may name', { sha256, error: error.message });
    return { sha256, task: '', names: digestsIn(envelope ?? new Uint8Array(), sha256) };
  }
}

/**
 * INVARIANT: 10 whatever looks like a digest in an envelope that cannot be read, as it is or in its payload, may be evidence
 * of something that is kept.
 */
function digestsIn(envelope: Uint8Array, self: string): readonly string[] {
  const text = Buffer.from(envelope).toString('latin1');
  const payloads = [...text.matchAll(BASE64)].map(([written]) => Buffer.from(written, 'base64').toString('latin1'));
  const found = new Set([text, ...payloads].flatMap((part) => part.match(DIGEST) ?? []));
  found.delete(self);
  return [...found];
}

function namesOf({ changes, artifacts, children }: Result): readonly string[] {
  const content = changes.kind === 'changed' ? [changes.bundle, changes.patch, ...artifacts] : artifacts;
  return [...content.map(({ sha256 }) => sha256), ...children.map(({ envelope }) => envelope)];
}

/** That an envelope was read is noted with the last of its names. */
function note({ database, leftovers }: Sweep, envelopes: readonly Named[]): void {
  for (const { sha256, names } of envelopes) {
    for (let at = 0; at + NAMES_AT_ONCE < names.length; at += NAMES_AT_ONCE) {
      database.withWriteTx((tx) => leftovers.noteNames(tx, sha256, names.slice(at, at + NAMES_AT_ONCE)));
    }
  }
  database.withWriteTx((tx) => {
    for (const { sha256, task, names } of envelopes) {
      leftovers.noteNames(
        tx,
        sha256,
        names.slice(Math.floor(Math.max(0, names.length - 1) / NAMES_AT_ONCE) * NAMES_AT_ONCE),
      );
      leftovers.noteRead(tx, sha256, task);
    }
  });
}

function count(envelopes: readonly Named[]): number {
  return envelopes.reduce((sum, { names }) => sum + names.length, 0);
}
