import { X509Certificate } from 'node:crypto';
import { quote, WritError } from '@writ/core';
import { nodeIdOf } from './node-id.ts';
import type { Pin } from './types.ts';

/** Longest certificate that is looked at, characters of PEM or bytes of DER. */
const LONGEST = 8192;

/** An identity certificate that was looked at whole. */
export interface IdentityCertificate {
  /** Node id of the key inside. */
  readonly id: string;
  readonly certificate: X509Certificate;
  readonly pin: Pin;
}

/**
 * Reads a node's identity certificate: over a P-256 key, named by that key's id, self-signed, a certificate authority.
 * Does not look at the time. Throws BAD_REQUEST saying what is wrong.
 *
 * @param data PEM with exactly one certificate, or DER
 */
export function readIdentityCertificate(data: string | Uint8Array): IdentityCertificate {
  const certificate = parseCertificate(data);
  // Once: the key is written out for it, in every hop of every request.
  const id = certificate === undefined ? '' : nodeIdOf(certificate);
  const refusal = certificate === undefined ? 'it is no certificate' : refusalOf(certificate, id);
  if (certificate === undefined || refusal !== undefined) {
    throw new WritError('BAD_REQUEST', `not an identity certificate: ${refusal}`);
  }
  return { id, certificate, pin: { id, certificatePem: certificate.toString() } };
}

/** The one certificate in `data`, or undefined where there is none, something beside it, or another spelling of it. */
export function parseCertificate(data: string | Uint8Array): X509Certificate | undefined {
  if (data.length > LONGEST) return undefined;
  try {
    const certificate = new X509Certificate(data);
    const same =
      typeof data === 'string'
        ? data.trim().replaceAll('\r\n', '\n') === certificate.toString().trim()
        : Buffer.from(data).equals(certificate.raw);
    return same ? certificate : undefined;
  } catch {
    return undefined;
  }
}

/** The bytes of a certificate that was looked at before; nothing about it is checked. */
export function certificateDer(pem: string): Buffer {
  return Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
}

function refusalOf(certificate: X509Certificate, id: string): string | undefined {
  const key = certificate.publicKey;
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    return 'its key is not on the curve P-256';
  }
  // Names are unique among identities, so that one peer's certificate cannot stand in the way of another's.
  const name = `CN=${id}`;
  if (certificate.subject !== name) return `its subject is ${quote(certificate.subject)}, not ${quote(name)}`;
  if (certificate.issuer !== name) return `its issuer is ${quote(certificate.issuer)}, not ${quote(name)}`;
  if (!certificate.ca) return 'it is no certificate authority';
  if (!certificate.verify(key)) return 'it is not signed by its own key';
  return undefined;
}
