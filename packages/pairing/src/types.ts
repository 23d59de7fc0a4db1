import type { PeerEntry, WrittenPeer } from '@writ/policy';

/** What an invite gives to whoever redeems it; nothing that is not named here. */
export interface InviteOffer {
  readonly profiles: readonly string[];
  readonly workspaces: readonly string[];
  /** A lease on each high-risk profile of the offer, from the moment of joining; absent: none. */
  readonly leaseMs?: number;
  /** `host:port` under which the joiner reaches this node; absent: what the node says of itself. */
  readonly address?: string;
}

/** An invite as the inviting person sees it. */
export interface Invite {
  readonly id: string;
  /** One copyable line: address, fingerprint, one-time secret, expiry. */
  readonly code: string;
  readonly expiresAtMs: number;
}

/** What happens to an invite until it is settled. */
export type InviteEvent =
  /** Somebody proved the secret; nothing is stored yet. */
  | {
      readonly kind: 'proved';
      readonly peerId: string;
      readonly label: string;
      readonly words: string;
      /** Id of the question that an approver answers; absent: `confirm` answers. */
      readonly approval?: string;
    }
  | { readonly kind: 'paired'; readonly peerId: string; readonly label: string; readonly generation: number }
  | {
      readonly kind: 'refused';
      /** Where it was not the inviting person: what happened instead, and what mends it. */
      readonly why?: string;
      readonly nextSteps?: readonly string[];
    }
  | { readonly kind: 'expired' };

/** What the joining person sees. */
export type JoinEvent =
  | { readonly kind: 'proved'; readonly peerId: string; readonly label: string; readonly words: string }
  /** The other side said yes, and an approver of this one has to answer this question. */
  | { readonly kind: 'asked'; readonly peerId: string; readonly label: string; readonly approval: string }
  | {
      readonly kind: 'paired';
      readonly peerId: string;
      readonly label: string;
      readonly profiles: readonly string[];
      readonly workspaces: readonly string[];
      readonly leaseMs?: number;
      readonly generation: number;
    };

/** Both ends of making, and the unmaking of, a peer. */
export interface Pairing {
  /** Throws BAD_REQUEST where the offer names what is not configured or this node has no mesh address. */
  createInvite(offer: InviteOffer): Promise<Invite>;
  /** INVARIANT: 3 strangers reach `Redeem` only while this is true. */
  hasOpenInvite(): boolean;
  /** Ends after `paired`, `refused` or `expired`. */
  watchInvite(id: string, signal: AbortSignal): AsyncIterable<InviteEvent>;
  /**
   * The inviting person's answer to the short words; a no before anybody has proved the invite withdraws it. Throws
   * NOT_FOUND where there is nothing to answer, NOT_APPROVER for a yes where an approver has to give it.
   */
  confirm(id: string, accept: boolean): Promise<void>;
  /** Throws INVITE_INVALID for a code that is garbled, used, expired or refused; UNREACHABLE where nobody answers. */
  join(code: string, signal: AbortSignal): AsyncIterable<JoinEvent>;
  /** Takes the peer out of the configuration and its pin away; throws NOT_FOUND. */
  remove(labelOrId: string): Promise<{ readonly label: string; readonly generation: number }>;
  /** Settles what an earlier boot began and did not end: takes back, or finishes a removal. For the start, before anybody is served; returns how many. */
  recover(): Promise<number>;
  /** Server end of the exchange; the mesh feeds it the stream of one `Redeem` call. */
  serve(messages: AsyncIterable<RedeemClientMessage>): AsyncIterable<RedeemServerMessage>;
}

export type RedeemClientMessage =
  | {
      readonly step: 'hello';
      readonly invite: string;
      readonly id: string;
      readonly certificatePem: string;
      readonly label: string;
      /** Where the joiner can be reached; absent: nowhere. */
      readonly address?: string;
      readonly nonce: Uint8Array;
    }
  | { readonly step: 'proof'; readonly mac: Uint8Array };

export type RedeemServerMessage =
  | {
      readonly step: 'challenge';
      readonly id: string;
      readonly certificatePem: string;
      readonly nonce: Uint8Array;
      /** Name of the inviting node; shown, never trusted. */
      readonly label: string;
    }
  | { readonly step: 'pending'; readonly mac: Uint8Array }
  | {
      readonly step: 'accepted';
      readonly label: string;
      readonly profiles: readonly string[];
      readonly workspaces: readonly string[];
      readonly leaseMs?: number;
    };

/** Port: one `Redeem` call to `address`, whose TLS identity must be `id`. The mesh implements it. */
export interface RedeemTransport {
  redeem(
    target: { readonly address: string; readonly id: string },
    messages: AsyncIterable<RedeemClientMessage>,
    signal: AbortSignal,
  ): AsyncIterable<RedeemServerMessage>;
}

/** Port: the node's `writ.toml`, changed atomically and reloaded in place. */
export interface ConfigFile {
  read(): Promise<string>;
  /** Throws what keeps `edit` from any change: CONFLICT where another one waits for a yes, CONFIG_INVALID where the file does not load. */
  ready(): Promise<void>;
  /** Reads, edits, writes by rename, and reloads; the outcome's generation. Throws CONFIG_INVALID and leaves the file as it was where the edited text does not load. */
  edit(change: (text: string) => string): Promise<{ readonly generation: number }>;
  /**
   * Like `edit`, for a change that gives nobody more: it needs no yes and waits for none. Throws CONFIG_INVALID where
   * the file does not load with the change.
   */
  takeAway(change: (text: string) => string): Promise<{ readonly generation: number }>;
}

/** Port: edits of the text of `writ.toml` that keep its comments and order; the policy package has them. */
export interface PeerEdits {
  readPeer(text: string, id: string): WrittenPeer | undefined;
  addPeer(text: string, peer: PeerEntry): string;
  updatePeer(text: string, label: string, change: Partial<Omit<PeerEntry, 'label' | 'id'>>): string;
  removePeer(text: string, label: string): string;
}
