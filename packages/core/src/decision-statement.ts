/** What an approver signs: one answer to one question of one node. Whoever checks a signature builds it anew. */
export interface DecisionStatement {
  /** Node id of the node that asked. */
  readonly node: string;
  /** Id of the approval. */
  readonly approval: string;
  readonly kind: string;
  /** SHA-256 of what would be done, hex. */
  readonly digest: string;
  /** SHA-256 of the preview that the person saw, hex. */
  readonly preview: string;
  readonly answer: 'approve' | 'deny';
  /** How far a yes reaches; absent for a no. */
  readonly scope?: string;
  /** Until when the question can be answered, milliseconds since the epoch. */
  readonly expiresAtMs: number;
}

/**
 * What proves that a person answered. `terminal`: the host secret and a terminal, only where the configuration says so ·
 * `passphrase`: a signature by a key under a passphrase, base64url. Another kind of credential is another member.
 */
export type ApproverProof =
  | { readonly kind: 'terminal' }
  | { readonly kind: 'passphrase'; readonly approver: string; readonly signature: string };
