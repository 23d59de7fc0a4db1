/** What would be stored of a peer, for the person who is asked; all of it, and nothing else is stored. */
export interface PeerQuestion {
  readonly peerId: string;
  /** Label that the peer has here, or will get. */
  readonly label: string;
  /** Words of this exchange: the other end's screen shows the same ones. */
  readonly words: string;
  readonly certificatePem: string;
  /** `host:port` under which it can be asked; absent: nowhere. */
  readonly address?: string;
  /** What it may ask for here. */
  readonly profiles: readonly string[];
  readonly workspaces: readonly string[];
  /** What this machine's agents may ask of it. */
  readonly outbound: { readonly profiles: readonly string[]; readonly workspaces: readonly string[] };
  /** A lease on each of its profiles that needs one, milliseconds; absent: none. */
  readonly leaseMs?: number;
  readonly via: 'invite' | 'join';
  /** How long it can be answered, milliseconds. */
  readonly lifetimeMs: number;
}

/** Port: whoever has to say yes before a peer is stored, with proof. */
export interface PeerConsent {
  /** False: nobody could answer, and a yes from this machine is all that there is. */
  isNeeded(): boolean;
  /** Asks; the id of the question. Throws what keeps it from being asked. */
  ask(question: PeerQuestion): string;
  /** Resolves with the answer, no for anything but a yes; where `signal` aborts, the question is taken back. */
  answer(id: string, signal: AbortSignal): Promise<boolean>;
}
