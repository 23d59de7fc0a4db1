import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type ApproverProof, canonicalJson, type DecisionStatement } from '@writ/core';
import { approverIdOf } from './approver-id.ts';

/** Keeps a signature over an answer from ever being one over anything else. */
const DOMAIN = 'writ approver decision 1\0';

/** The bytes that an approver signs: the domain and the canonical JSON of the whole statement. */
export function decisionBytes(statement: DecisionStatement): Uint8Array {
  const { node, approval, kind, digest, preview, answer, scope, expiresAtMs } = statement;
  const said = {
    node,
    approval,
    kind,
    digest,
    preview,
    answer,
    expiresAtMs,
    ...(scope === undefined ? {} : { scope }),
  };
  return Buffer.from(DOMAIN + canonicalJson(said));
}

/**
 * Whether `proof` is this approver's signature over exactly this statement. A kind of credential that is not known here,
 * or a key that does not belong to the id, proves nothing.
 */
export function verifyDecision(
  approver: { readonly id: string; readonly kind: string; readonly publicKey: string },
  proof: ApproverProof,
  statement: DecisionStatement,
): boolean {
  switch (proof.kind) {
    case 'terminal':
      return false;
    case 'passphrase': {
      if (approver.kind !== proof.kind || approver.id !== proof.approver) return false;
      const key = publicKeyOf(approver);
      const signature = Buffer.from(proof.signature, 'base64url');
      // One signature has one spelling.
      if (key === undefined || signature.toString('base64url') !== proof.signature) return false;
      return verify(null, decisionBytes(statement), key, signature);
    }
  }
}

/** Whether a public key is one that an approver can have, and `id` its id; asked before it is enrolled. */
export function isApproverKey(approver: { readonly id: string; readonly publicKey: string }): boolean {
  return publicKeyOf(approver) !== undefined;
}

function publicKeyOf({ id, publicKey }: { readonly id: string; readonly publicKey: string }): KeyObject | undefined {
  const spki = Buffer.from(publicKey, 'base64url');
  if (approverIdOf(spki) !== id) return undefined;
  try {
    const key = createPublicKey({ key: spki, type: 'spki', format: 'der' });
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}
