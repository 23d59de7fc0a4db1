import type { AuditRow } from '@writ/database';

/** What a bundle is called in its first line. */
export const BUNDLE_FORMAT = 'writ-audit-bundle';
export const BUNDLE_VERSION = 1;

/** The first line of a bundle; its entries follow, one a line. Hashes are hex, certificates base64 of DER. */
export interface BundleHead {
  readonly format: typeof BUNDLE_FORMAT;
  readonly version: typeof BUNDLE_VERSION;
  /** Id of the node. */
  readonly node: string;
  /** First and last entry. */
  readonly from: number;
  readonly to: number;
  /** The signed note that the proofs lead to. */
  readonly checkpoint: string;
  /** The identity's certificate, then those of its signing keys. */
  readonly certificates: readonly string[];
  /** The full subtrees over the entries before `from`, left to right, and over those behind `to`. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Proof (RFC 6962, 2.1.2) that the log began with what an earlier checkpoint counts. */
  readonly since?: { readonly size: number; readonly proof: readonly string[] };
}

/** An entry in a bundle, with its hash as a leaf, so that a change is told from its neighbours. */
export interface BundleEntry {
  readonly leaf: string;
  readonly entry: AuditRow;
}
