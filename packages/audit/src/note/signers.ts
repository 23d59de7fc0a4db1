import { X509Certificate } from 'node:crypto';
import { createSignerCache, nodeIdOf, type SignerCache, verifyNodeSignature } from '@writ/identity';
import type { SignedCheckpoint } from './checkpoint.ts';
import { keyIdOf } from './signed-note.ts';

/** The signing keys that a node has had, each under a certificate of its identity. */
export interface Signers {
  /** Id of the node. */
  readonly id: string;
  /** Self-signed, DER. */
  readonly identityDer: Uint8Array;
  /** In the order of their use. */
  readonly keys: readonly SigningKey[];
  readonly cache: SignerCache;
}

/** A signing key of a node. */
export interface SigningKey {
  /** As signature lines have it. */
  readonly keyId: string;
  /** Its certificate, DER. */
  readonly signingDer: Uint8Array;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/** Certificates as PEM: the identity's first. */
export function formatSigners({ identityDer, keys }: Pick<Signers, 'identityDer' | 'keys'>): string {
  return [identityDer, ...keys.map(({ signingDer }) => signingDer)].map(pemOf).join('');
}

/** One certificate as PEM. */
function pemOf(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** The reverse of `formatSigners`; undefined where the text holds no certificate. What is half written is left out. */
export function readSigners(pem: string): Signers | undefined {
  const [identityDer, ...signingDers] = [...pem.matchAll(CERTIFICATE)].flatMap(([text]) => {
    const certificate = parse(text);
    return certificate === undefined ? [] : [new Uint8Array(certificate.raw)];
  });
  return identityDer && createSigners(identityDer, signingDers);
}

/** The signers of a node. A certificate over a key of another kind than checkpoints are signed with is left out. */
export function createSigners(identityDer: Uint8Array, signingDers: readonly Uint8Array[]): Signers {
  const id = nodeIdOf(new X509Certificate(identityDer));
  const keys = signingDers.flatMap((signingDer) => {
    const keyId = signingKeyId(id, signingDer);
    return keyId === undefined ? [] : [{ keyId, signingDer }];
  });
  return { id, identityDer, keys, cache: createSignerCache() };
}

/** Id of the key that a signing certificate is over, under the node's name; undefined where that is no Ed25519 key. */
export function signingKeyId(id: string, signingDer: Uint8Array): string | undefined {
  const { publicKey } = new X509Certificate(signingDer);
  if (publicKey.asymmetricKeyType !== 'ed25519') return undefined;
  return keyIdOf(id, Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'));
}

/** Why a checkpoint is not one of this log; undefined: it is. */
export type SignatureFault = 'another-log' | 'unknown-key' | 'bad-signature';

/**
 * Whether the node that `signers` leads to signed a checkpoint. When does not count: a checkpoint has no time, and a key
 * that has served its time still proves what it signed.
 */
export function checkSignature(signers: Signers, checkpoint: SignedCheckpoint): SignatureFault | undefined {
  if (checkpoint.origin !== signers.id) return 'another-log';
  let fault: SignatureFault = 'unknown-key';
  for (const { name, keyId, signature } of checkpoint.signed.signatures) {
    if (name !== signers.id) continue;
    for (const key of signers.keys.filter((one) => one.keyId === keyId)) {
      if (isSignedBy(signers, key, checkpoint.signed.text, signature)) return undefined;
      fault = 'bad-signature';
    }
  }
  return fault;
}

function isSignedBy(signers: Signers, { signingDer }: SigningKey, text: string, signature: Uint8Array): boolean {
  const { identityDer, cache } = signers;
  // A clock that was back may have dated a key before its identity: when does not count, as long as both are valid then.
  const atMs = Math.max(...[signingDer, identityDer].map((der) => Date.parse(new X509Certificate(der).validFrom)));
  const check = verifyNodeSignature({
    ...{ signingDer, identityDer, atMs, signers: cache, data: Buffer.from(text), signature },
  });
  return check.verified && check.id === signers.id;
}

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}
