/** Name that every TLS leaf carries as a DNS name, so that a TLS library has a constant to check. */
export const TLS_SERVER_NAME = 'node.writ.internal';

/** The node id travels in a certificate as this URI scheme. */
export const ID_URI_PREFIX = 'writ:';

/** What a certificate under an identity may be used for; one kind is never taken for another. */
export type LeafKind = 'tls' | 'signing';

/** Extended key usages of each kind, exactly these: TLS server and client; document signing (RFC 9336). */
export const LEAF_USAGES: Readonly<Record<LeafKind, readonly string[]>> = {
  tls: ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'],
  signing: ['1.3.6.1.5.5.7.3.36'],
};

/** DNS names of each kind, beside the id; exactly these. */
export const LEAF_NAMES: Readonly<Record<LeafKind, readonly string[]>> = { tls: [TLS_SERVER_NAME], signing: [] };

/** Key type of each kind, as node:crypto names it. */
export const LEAF_KEY_TYPES: Readonly<Record<LeafKind, string>> = { tls: 'ec', signing: 'ed25519' };

/** How far the clocks of two nodes may differ, milliseconds. */
export const CLOCK_SKEW_MS = 60_000;
