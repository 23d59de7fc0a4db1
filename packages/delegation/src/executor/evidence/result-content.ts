import { WritError } from '@writ/core';
import type { ReadTx } from '@writ/database';
import { type Result, readResult } from '@writ/evidence';
import type { SignedEnvelope } from '../../types.ts';
import type { ExecutorParts } from '../parts.ts';

/** Most envelopes inside one result, and results whose contents are remembered. */
const MOST_ENVELOPES = 1000;
const REMEMBERED = 32;

/** What is served of a result that this node has signed. */
export interface ResultContent {
  /** The signed result of a terminal task; undefined where there is none. Throws NOT_FOUND. */
  result(id: string): SignedEnvelope | undefined;
  /** Throws NOT_FOUND for everything that the result of the task does not name. */
  read(id: string, sha256: string, offset: number, limit: number): Promise<Uint8Array>;
}

type Kind = 'envelope' | 'content';

export function createResultContent({ database, journal, evidence }: ExecutorParts): ResultContent {
  const { results, content } = evidence;
  /** By digest of the result: what is signed does not change. */
  const named = new Map<string, ReadonlyMap<string, Kind>>();

  function namedBy(tx: ReadTx, digest: string, envelope: Uint8Array): ReadonlyMap<string, Kind> {
    const known = named.get(digest);
    if (known) return known;
    const found = namesIn(digest, envelope, (sha256) => results.envelope(tx, sha256));
    named.set(digest, found);
    for (const oldest of named.keys()) {
      if (named.size <= REMEMBERED) break;
      named.delete(oldest);
    }
    return found;
  }

  function resultOf(tx: ReadTx, id: string): SignedEnvelope | undefined {
    const sha256 = journal.require(tx, id).outcome?.result;
    const envelope = sha256 === undefined ? undefined : results.envelope(tx, sha256);
    if (sha256 === undefined || envelope === undefined) return undefined;
    const receipt = results.receipt(tx, id);
    return { sha256, envelope, ...(receipt ? { receiptAtMs: receipt.atMs } : {}) };
  }

  return {
    result: (id) => database.withReadTx((tx) => resultOf(tx, id)),
    async read(id, sha256, offset, limit) {
      const found = database.withReadTx((tx) => {
        const result = resultOf(tx, id);
        const kind = result && namedBy(tx, result.sha256, result.envelope).get(sha256);
        return { kind, envelope: kind === 'envelope' ? results.envelope(tx, sha256) : undefined };
      });
      if (found.envelope) return found.envelope.subarray(offset, offset + limit);
      const data = found.kind === 'content' ? await content.read(sha256, offset, limit) : undefined;
      if (data === undefined) throw new WritError('NOT_FOUND', 'the result of this task names no such content');
      return data;
    },
  };
}

/** Every digest that a result names, those of the results nested in it too, as far as these are here. */
function namesIn(
  digest: string,
  envelope: Uint8Array,
  find: (sha256: string) => Uint8Array | undefined,
): ReadonlyMap<string, Kind> {
  const names = new Map<string, Kind>([[digest, 'envelope']]);
  const result = readResult(envelope);
  for (const { sha256 } of contentsOf(result)) names.set(sha256, 'content');
  const waiting = result.children.map((child) => child.envelope);
  let seen = 0;
  for (let child = waiting.pop(); child !== undefined && seen < MOST_ENVELOPES; child = waiting.pop()) {
    seen += 1;
    const nested = names.get(child) === 'envelope' ? undefined : find(child);
    if (!nested) continue;
    names.set(child, 'envelope');
    waiting.push(...readResult(nested).children.map((one) => one.envelope));
  }
  return names;
}

function contentsOf({ changes, artifacts }: Result): readonly { readonly sha256: string }[] {
  return changes.kind === 'changed' ? [changes.bundle, changes.patch, ...artifacts] : artifacts;
}
