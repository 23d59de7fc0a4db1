import { verify } from 'node:crypto';
import { proveSigner, type SignerCheck } from './signer.ts';
import type { Pin } from './types.ts';

/** Whose signature it is, or what about it does not hold. */
export type NodeSignatureCheck =
  | { readonly verified: true; readonly id: string; readonly pin: Pin }
  | {
      readonly verified: false;
      readonly field: 'identity' | 'signing' | 'signature';
      /** Lower case, no full stop, safe to show. */
      readonly message: string;
    };

/**
 * Which node signed `data`: from the identity certificate to the signing key, from the signing key to the bytes. Proves
 * who a node is, not that it is one to trust.
 */
export function verifyNodeSignature(
  check: SignerCheck & { readonly data: Uint8Array; readonly signature: Uint8Array },
): NodeSignatureCheck {
  const signer = proveSigner(check);
  if ('field' in signer) return { verified: false, ...signer };
  if (!verify(null, check.data, signer.key, check.signature)) {
    return { verified: false, field: 'signature', message: 'it does not fit' };
  }
  return { verified: true, id: signer.pin.id, pin: signer.pin };
}
