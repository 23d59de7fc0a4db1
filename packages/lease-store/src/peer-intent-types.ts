import type { ReadTx, WriteTx } from '@writ/database';

/** What a peer may ask for and be asked for, by name. */
export interface PeerRights {
  readonly profiles: readonly string[];
  readonly workspaces: readonly string[];
  readonly outbound: { readonly profiles: readonly string[]; readonly workspaces: readonly string[] };
}

/** A change of a peer that has begun and is not whole yet: pin, configuration, leases and audit have no common commit. */
export type PeerIntent =
  /** To be taken back. `isNew`: with its pin. `added`: what the configuration may have got; absent: nothing yet. */
  | { readonly kind: 'admit'; readonly isNew: boolean; readonly added?: 'table' | PeerRights | undefined }
  /** To be finished; `label` as the person knows it. */
  | { readonly kind: 'remove'; readonly label: string }
  /** The same, where only the configuration is left to do. */
  | { readonly kind: 'forget' };

/** Changes of peers that are under way, by node id: what an earlier boot left is settled at the start. */
export interface PeerIntentStore {
  /** Undefined where there is none, or where it cannot be read. */
  get(tx: ReadTx, peer: string): PeerIntent | undefined;
  set(tx: WriteTx, peer: string, intent: PeerIntent): void;
  /** Does nothing where there is none. */
  remove(tx: WriteTx, peer: string): void;
  peers(tx: ReadTx): readonly string[];
}
