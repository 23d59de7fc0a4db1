import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { quote, shellWord, WritError } from '@writ/core';
import { parseCertificate } from './identity-certificate.ts';

/** A private key and the certificate over it, in memory. */
export interface CertifiedKey {
  readonly key: KeyObject;
  readonly certificateDer: Uint8Array;
}

/** A new private key of one of the two kinds. */
export function generateKey(type: 'ec' | 'ed25519'): KeyObject {
  return type === 'ec'
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    : generateKeyPairSync('ed25519').privateKey;
}

/** The public half, SPKI in DER. */
export function spkiOf(key: KeyObject): Uint8Array {
  return createPublicKey(key).export({ type: 'spki', format: 'der' });
}

export function keyPemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

export function certificatePemOf(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** Key and certificate as one file, so that they can only change together. */
export function formatCertifiedKey(pair: CertifiedKey): string {
  return `${keyPemOf(pair.key)}${certificatePemOf(pair.certificateDer)}`;
}

/** The reverse of `formatCertifiedKey`; throws CONFIG_INVALID where the file is damaged or its halves do not belong together. */
export function parseCertifiedKey(text: string, path: string): CertifiedKey {
  const split = text.indexOf('-----BEGIN CERTIFICATE-----');
  const certificate = parseCertificate(text.slice(Math.max(split, 0)));
  try {
    const key = createPrivateKey(text.slice(0, split));
    if (certificate?.checkPrivateKey(key)) return { key, certificateDer: new Uint8Array(certificate.raw) };
  } catch {
    // Told below, without what the parser says: it may repeat the file.
  }
  throw new WritError('CONFIG_INVALID', `${quote(path)} does not hold a key and its certificate`, {
    nextSteps: [
      'put the file back, from a backup of this node',
      `or see how to make another node: mv ${shellWord(path)} ${shellWord(`${path}.broken`)}, then: writ doctor`,
    ],
  });
}
