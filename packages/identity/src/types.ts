import type { KeyObject } from 'node:crypto';

/** What another node needs to recognise this one. */
export interface PublicIdentity {
  /** `wn-…`: fingerprint of the identity key with a checksum, lower case. */
  readonly id: string;
  /** Self-signed CA certificate over the identity key, PEM. */
  readonly certificatePem: string;
}

/** TLS material under the identity certificate; rotates. */
export interface TlsMaterial {
  readonly keyPem: string;
  /** Leaf first, then the identity certificate. The leaf carries the node id as URI `writ:wn-…`. */
  readonly chainPem: string;
}

/** A node's own keys. Private keys never leave it. */
export interface NodeIdentity {
  readonly public: PublicIdentity;
  /** Current TLS material. */
  tls(): TlsMaterial;
  /** Called after a rotation; returns how to stop. */
  onRotate(listener: () => void): () => void;
  /** Signs with the Ed25519 signing key. */
  sign(data: Uint8Array): Uint8Array;
  /** Certificate that leads from the identity to the signing key, DER. */
  signingCertificate(): Uint8Array;
  /** Makes new TLS and signing keys under the same identity. */
  rotate(): Promise<void>;
  /** When two thirds of the TLS or signing certificate's life will be gone, milliseconds since the epoch. */
  rotationDueAtMs(): number;
}

/** One peer's pinned identity certificate. */
export interface Pin {
  readonly id: string;
  readonly certificatePem: string;
}

/** The pinned identity certificates; files in the node's home, the only roots of its TLS. */
export interface PinStore {
  get(id: string): Pin | undefined;
  list(): readonly Pin[];
  put(pin: Pin): Promise<void>;
  remove(id: string): Promise<boolean>;
  onChange(listener: () => void): () => void;
}

/** What one hop passes on. `shell` is a member of `closure`. */
export interface WritGrant {
  readonly closure: readonly string[];
  /** Empty: none may be named; absent never occurs. */
  readonly workspaces: readonly string[];
  readonly network: 'deny' | 'allow' | readonly string[];
  readonly maxOutputBytes: number;
}

/** The claims of one hop's writ. Node ids are lower case; times are seconds since the epoch. */
export interface WritClaims {
  readonly v: 1;
  readonly iss: string;
  readonly aud: string;
  readonly task: string;
  readonly origin: string;
  readonly session: string;
  readonly agent: string;
  /** Requested profile, a name of the audience; absent: its default. */
  readonly profile?: string;
  readonly workspace?: string;
  readonly grant: WritGrant;
  /** Further hops that may follow the audience. */
  readonly depth: number;
  readonly iat: number;
  readonly exp: number;
  /** 128 random bits, hex. */
  readonly nonce: string;
  /** SHA-256 of the compact form of the hop before, hex; absent on the first hop. */
  readonly prev?: string;
  /** SHA-256 (hex, canonical JSON) of the task spec that this writ was made for. */
  readonly request: string;
  /** Policy generation at the issuer; for explanation only. */
  readonly generation: number;
}

/** What an extension says: the same issuer lets one writ of its own live longer, and nothing else. Times are seconds. */
export interface ExtensionClaims {
  readonly v: 1;
  readonly iss: string;
  readonly aud: string;
  readonly task: string;
  /** Of the writ. */
  readonly nonce: string;
  /** SHA-256 of the compact form of the writ, hex. */
  readonly writ: string;
  readonly iat: number;
  /** The new end. */
  readonly exp: number;
}

/** The claims of a writ as it stands: where it was extended, `exp` is the new end. */
export interface Hop extends WritClaims {
  /** When that was, seconds since the epoch; absent: never. */
  readonly renewedAt?: number;
}

/** A chain that was checked whole. */
export interface VerifiedChain {
  /** First hop first. */
  readonly hops: readonly Hop[];
  /** Node ids from the origin to the last issuer. */
  readonly ids: readonly string[];
  readonly last: Hop;
}

/** A signing key and the node whose it is. */
export interface Signer {
  readonly pin: Pin;
  readonly key: KeyObject;
  /** When both certificates are valid, milliseconds since the epoch. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Signers whose certificates were proved before, in one node; what depends on the time is looked at anew each time. */
export interface SignerCache {
  readonly proved: Map<string, Signer>;
}

/** Facts a chain is checked against. */
export interface ChainCheck {
  /** Node id of the verifier: the last `aud`. */
  readonly self: string;
  /** Node id that the TLS connection proved: the last `iss`. */
  readonly tlsPeer: string;
  readonly nowMs: number;
  readonly maxChain: number;
  /** Absent: every certificate is proved anew. */
  readonly signers?: SignerCache;
}
