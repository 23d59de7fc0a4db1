import { canonicalJson, WritError } from '@writ/core';
import { certificateDer, type NodeIdentity, type SignerCache, verifyNodeSignature } from '@writ/identity';
import { z } from 'zod';
import { formatEnvelope, parseEnvelope, preAuthEncoding, SHORT_STATEMENT } from './dsse.ts';
import { parseCanonical } from './result.ts';

/** Type of the payload of the envelope. */
const SESSION_END_TYPE = 'application/vnd.writ.session-end+json';

/** What its signer says: this session, which began there, has ended. */
export interface SessionEndStatement {
  readonly session: string;
  readonly agent: string;
}

const id = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[\x21-\x7e]+$/);
const schema = z.strictObject({ session: id, agent: id });

/** The signed word that a session has ended: a DSSE envelope, to be sent on as it is. */
export function signSessionEnd(identity: NodeIdentity, { session, agent }: SessionEndStatement): Uint8Array {
  const { id: keyid, certificatePem } = identity.public;
  const payload = Buffer.from(canonicalJson({ session, agent }));
  return formatEnvelope({
    payloadType: SESSION_END_TYPE,
    payload,
    keyid,
    signature: identity.sign(preAuthEncoding(SESSION_END_TYPE, payload)),
    signingDer: identity.signingCertificate(),
    identityDer: certificateDer(certificatePem),
  });
}

/**
 * Which session has ended, and where it began: its signer. `nowMs`: when its certificates have to be valid. Throws
 * EVIDENCE_INVALID.
 */
export function verifySessionEnd(
  envelope: Uint8Array,
  nowMs: number,
  signers?: SignerCache,
): SessionEndStatement & { readonly origin: string } {
  const { payloadType, payload, keyid, ...signed } = parseEnvelope(envelope, SHORT_STATEMENT.envelope);
  if (payloadType !== SESSION_END_TYPE) throw refuse('it is none');
  const data = preAuthEncoding(payloadType, payload);
  const check = verifyNodeSignature({ ...signed, data, atMs: nowMs, ...(signers ? { signers } : {}) });
  if (!check.verified) throw refuse(`${check.field}: ${check.message}`);
  if (check.id !== keyid) throw refuse(`it is signed by ${check.id}`);
  const parsed = schema.safeParse(parseCanonical(payload, 'session end', SHORT_STATEMENT.payload));
  if (!parsed.success) throw refuse('it names no session');
  return { origin: check.id, ...parsed.data };
}

function refuse(why: string): WritError {
  return new WritError('EVIDENCE_INVALID', `the end of a session is not verified: ${why}`, {
    details: { check: 'session end' },
  });
}
