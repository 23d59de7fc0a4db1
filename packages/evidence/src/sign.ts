import { type Clock, sha256Hex } from '@writ/core';
import { certificateDer, type NodeIdentity } from '@writ/identity';
import { formatEnvelope, preAuthEncoding } from './dsse.ts';
import type { Result } from './result-schema.ts';
import { formatStatement, PAYLOAD_TYPE } from './statement.ts';

/** A signed result. */
export interface SignedResult {
  /** The envelope, bytes to keep and to send as they are. */
  readonly envelope: Uint8Array;
  /** SHA-256 of the envelope: how a parent names it. */
  readonly sha256: string;
  readonly result: Result;
}

/** Signs results with a node's signing key. */
export interface ResultSigner {
  /** Adds who signs and when. Throws EVIDENCE_FAILED where the rest is no result. */
  sign(result: UnsignedResult): SignedResult;
}

/** A result that lacks what its signer adds: version, node and time of signing. */
export type UnsignedResult = Omit<Result, 'version' | 'node' | 'times'> & {
  readonly times: Omit<Result['times'], 'signedAtMs'>;
};

export function createResultSigner(options: { readonly identity: NodeIdentity; readonly clock: Clock }): ResultSigner {
  const { identity, clock } = options;
  return {
    sign(unsigned) {
      const { id, certificatePem } = identity.public;
      const times = { ...unsigned.times, signedAtMs: clock.nowMs() };
      const result: Result = { ...unsigned, version: 1, node: id, times };
      const payload = formatStatement(result);
      const envelope = formatEnvelope({
        payloadType: PAYLOAD_TYPE,
        payload,
        keyid: id,
        signature: identity.sign(preAuthEncoding(PAYLOAD_TYPE, payload)),
        signingDer: identity.signingCertificate(),
        identityDer: certificateDer(certificatePem),
      });
      return { envelope, sha256: sha256Hex(envelope), result };
    },
  };
}
