import type { Pin } from '@writ/identity';
import { parseEnvelope } from './dsse.ts';
import type { Result } from './result-schema.ts';
import { parseStatement } from './statement.ts';

/**
 * The result inside an envelope, well-formed and nothing more: nobody's signature is looked at. For what this node has
 * signed or verified itself, and for learning which task an envelope claims to be about. Throws EVIDENCE_INVALID.
 */
export function readResult(envelope: Uint8Array): Result {
  return parseStatement(parseEnvelope(envelope).payload);
}

/**
 * Whom an envelope claims to be of, with the certificate in it, for a verifier who knows nobody: `verifyEnvelope` says whether that agrees with the
 * signature, and not whether it is who they think. Throws EVIDENCE_INVALID.
 */
export function readSigner(envelope: Uint8Array): Pin {
  const { identityDer } = parseEnvelope(envelope);
  const lines =
    Buffer.from(identityDer)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  const certificatePem = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
  return { id: readResult(envelope).node, certificatePem };
}
