import { isWritError } from '@writ/core';
import type { SignedEnvelope } from '../../types.ts';
import { createEventBound, type EventBound } from '../event-bound.ts';
import type { OriginParts } from '../parts.ts';
import {
  createDownload,
  type Download,
  memorySink,
  type Sink,
  type Source,
  storeSink,
  type Wanted,
} from './download.ts';
import type { Named } from './named.ts';

/** What came of one task; lives as long as its follower, so that no break makes it fetch twice, or count anew. */
export interface Intake {
  readonly bound: EventBound;
  /** The envelope with this digest; undefined where the source's signal aborts. */
  envelope(wanted: Wanted, from: Source): Promise<Uint8Array | undefined>;
  /** Brings content into the store unless it is there; false where the source's signal aborts. */
  content(wanted: Named, from: Source): Promise<boolean>;
  /** Keeps an envelope that came another way. */
  keep(envelope: SignedEnvelope): void;
  /** An envelope that is here. */
  has(sha256: string): Uint8Array | undefined;
  drop(): Promise<void>;
}

/** Envelopes and content that this node has kept before are not fetched. */
export function openIntake({ database, evidence }: Pick<OriginParts, 'database' | 'evidence'>): Intake {
  const { content, results } = evidence;
  const envelopes = new Map<string, Uint8Array>();
  const downloads = new Map<string, Download>();

  async function fetch(wanted: Wanted, sink: () => Sink, from: Source): Promise<boolean> {
    const download = downloads.get(wanted.sha256) ?? createDownload(wanted, sink());
    downloads.set(wanted.sha256, download);
    try {
      const whole = await download.fetch(from);
      if (whole) downloads.delete(wanted.sha256);
      return whole;
    } catch (error) {
      if (isWritError(error, 'EVIDENCE_INVALID') || isWritError(error, 'DATABASE_ERROR')) {
        downloads.delete(wanted.sha256);
        await download.drop();
      }
      throw error;
    }
  }

  const has = (sha256: string): Uint8Array | undefined =>
    envelopes.get(sha256) ?? database.withReadTx((tx) => results.envelope(tx, sha256));
  return {
    bound: createEventBound(),
    has,
    keep: ({ sha256, envelope }) => void envelopes.set(sha256, envelope),
    async envelope(wanted, from) {
      const { sha256 } = wanted;
      if (!has(sha256)) await fetch(wanted, () => memorySink((bytes) => envelopes.set(sha256, bytes)), from);
      return has(sha256);
    },
    async content(wanted, from) {
      // Content is moved under its digest only when all of it was written.
      if (await content.renew(wanted.sha256, wanted.bytes)) return true;
      return fetch(wanted, () => storeSink(content, wanted.bytes), from);
    },
    async drop() {
      await Promise.all([...downloads.values()].map((download) => download.drop()));
      downloads.clear();
      envelopes.clear();
    },
  };
}
