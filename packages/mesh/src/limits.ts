import type { Rate } from '@writ/core';

/** Bounds of a mesh listener, on every dimension that a peer or a stranger could grow. */
export interface MeshLimits {
  /** Largest request message, bytes, after decompression. */
  readonly maxRequestBytes: number;
  /** Largest header list of a call, bytes. */
  readonly maxMetadataBytes: number;
  /** Streams that one connection may have open. */
  readonly maxStreamsPerConnection: number;
  /**
   * Connections in all, from one remote address, and of those that have proved nothing, from their first packet on:
   * what is between the first and the last number is for peers only.
   */
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  readonly maxUnproven: number;
  /** Time for the TLS handshake, milliseconds. */
  readonly handshakeMs: number;
  /** A connection that has proved nothing by then is dropped, milliseconds. */
  readonly strangerIdleMs: number;
  /** A proven connection without a call is closed after this, milliseconds. */
  readonly idleMs: number;
  /** Time for a request message to arrive once its call is open, milliseconds. */
  readonly requestMs: number;
  /** Time between two messages of an upload, milliseconds. */
  readonly stallMs: number;
  readonly keepaliveMs: number;
  readonly keepaliveTimeoutMs: number;
  /** Time that the connections of a peer that lost its trust get to read that, milliseconds. */
  readonly revokedGraceMs: number;
  /** Calls a second and at once: of one peer; of one address that proved nothing, for `Redeem` and for all else. */
  readonly peerRate: Rate;
  readonly strangerRate: Rate;
  readonly knockRate: Rate;
}

/** What a node uses unless its composition root says otherwise. */
export const DEFAULT_LIMITS: MeshLimits = {
  maxRequestBytes: 1024 * 1024,
  maxMetadataBytes: 16 * 1024,
  maxStreamsPerConnection: 1200,
  maxConnections: 1024,
  maxConnectionsPerAddress: 64,
  maxUnproven: 256,
  handshakeMs: 10_000,
  strangerIdleMs: 30_000,
  idleMs: 3_600_000,
  requestMs: 10_000,
  stallMs: 30_000,
  keepaliveMs: 30_000,
  keepaliveTimeoutMs: 10_000,
  revokedGraceMs: 1_000,
  peerRate: { perSecond: 2_000, burst: 4_000 },
  strangerRate: { perSecond: 1, burst: 20 },
  knockRate: { perSecond: 10, burst: 100 },
};
