import { canonicalJson, WritError } from '@writ/core';
import { certificateDer, type NodeIdentity, type SignerCache, verifyNodeSignature } from '@writ/identity';
import { z } from 'zod';
import { formatEnvelope, parseEnvelope, preAuthEncoding, SHORT_STATEMENT } from './dsse.ts';
import { parseCanonical } from './result.ts';

/** Type of the payload of a receipt's envelope. */
const RECEIPT_TYPE = 'application/vnd.writ.receipt+json';

/** What a receipt says: its signer has this result, whole. */
export interface Receipt {
  readonly task: string;
  /** SHA-256 of the envelope of the result, lower-case hex. */
  readonly result: string;
  readonly receivedAtMs: number;
}

const schema = z.strictObject({
  task: z.string().min(1).max(256),
  result: z.string().regex(/^[0-9a-f]{64}$/),
  receivedAtMs: z.int().min(0),
});

/** A signed receipt: a DSSE envelope, bytes to keep and to send as they are. */
export function signReceipt(identity: NodeIdentity, receipt: Receipt): Uint8Array {
  const { task, result, receivedAtMs } = receipt;
  const { id, certificatePem } = identity.public;
  const payload = Buffer.from(canonicalJson({ task, result, receivedAtMs }));
  return formatEnvelope({
    payloadType: RECEIPT_TYPE,
    payload,
    keyid: id,
    signature: identity.sign(preAuthEncoding(RECEIPT_TYPE, payload)),
    signingDer: identity.signingCertificate(),
    identityDer: certificateDer(certificatePem),
  });
}

/**
 * What a receipt says and which node signed it; whether that is the right one, and whether it is about the right result,
 * is the caller's to look at. `nowMs`: when its certificates have to be valid; `signers`: those proved before. Throws EVIDENCE_INVALID.
 */
export function verifyReceipt(
  envelope: Uint8Array,
  nowMs: number,
  signers?: SignerCache,
): { readonly signer: string; readonly receipt: Receipt } {
  const { payloadType, payload, keyid, ...signed } = parseEnvelope(envelope, SHORT_STATEMENT.envelope);
  if (payloadType !== RECEIPT_TYPE) throw refuse('it is none');
  const data = preAuthEncoding(payloadType, payload);
  const check = verifyNodeSignature({ ...signed, data, atMs: nowMs, ...(signers ? { signers } : {}) });
  if (!check.verified) throw refuse(`${check.field}: ${check.message}`);
  if (check.id !== keyid) throw refuse(`it is signed by ${check.id}`);
  const parsed = schema.safeParse(parseCanonical(payload, 'receipt', SHORT_STATEMENT.payload));
  if (!parsed.success) throw refuse('it does not say what was received');
  return { signer: check.id, receipt: parsed.data };
}

function refuse(why: string): WritError {
  return new WritError('EVIDENCE_INVALID', `receipt is not verified: ${why}`, { details: { check: 'receipt' } });
}
