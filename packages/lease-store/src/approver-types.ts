import type { ReadTx, WriteTx } from '@writ/database';

/** A person's credential as this node knows it: the public half only. */
export interface Approver {
  readonly id: string;
  /** What kind of credential it is; `passphrase` today. A kind that this program does not know verifies nothing. */
  readonly kind: string;
  /** Public key in the form of its kind, base64url. */
  readonly publicKey: string;
  readonly label: string;
  readonly enrolledAtMs: number;
  readonly removedAtMs?: number;
}

/** Records of approvers. Every method works inside the caller's transaction. */
export interface ApproverStore {
  /** False where the id is taken, by a removed one too: who was removed does not come back under the same key. */
  enroll(tx: WriteTx, approver: Omit<Approver, 'enrolledAtMs' | 'removedAtMs'>): boolean;
  /** Removed ones too. */
  get(tx: ReadTx, id: string): Approver | undefined;
  /** In order of enrolment. */
  listActive(tx: ReadTx): readonly Approver[];
  /** False where it was removed before or does not exist. */
  remove(tx: WriteTx, id: string): boolean;
}
