import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { createSystemRandom } from '@writ/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueLeafCertificate } from './certificate-issue.ts';
import { TLS_SERVER_NAME } from './certificate-kinds.ts';
import { generateKey, spkiOf } from './identity-files.ts';
import { verifyPeerCertificate } from './peer-certificate.ts';
import { createTestNodes, derOf, type TestNode, type TestNodes } from './testing/nodes.ts';

const DAY_MS = 86_400_000;

describe('a peer certificate', () => {
  let peers: TestNodes;
  let a: TestNode;
  let b: TestNode;
  let nowMs: number;
  beforeAll(async () => {
    peers = await createTestNodes(2);
    [a, b] = peers.nodes as [TestNode, TestNode];
    nowMs = peers.clock.nowMs();
  });
  afterAll(() => peers.remove());

  const pinned = (...nodes: TestNode[]) => ({
    get: (id: string) => nodes.find((node) => node.id === id)?.identity.public,
  });
  const check = (leafDer: Uint8Array, atMs = nowMs) =>
    verifyPeerCertificate({ leafDer, pins: pinned(a, b), nowMs: atMs });
  const tlsLeafOf = (node: TestNode): Uint8Array =>
    derOf(node.identity.tls().chainPem.split(/(?<=-----END CERTIFICATE-----\n)/)[0] ?? '');

  /** A TLS leaf with the attacker's choice of everything. */
  const leafWith = (options: {
    readonly key: TestNode['root']['key'];
    readonly id: string;
    readonly atMs?: number;
    readonly kind?: 'tls' | 'signing';
  }): Promise<Uint8Array> =>
    issueLeafCertificate(
      { identityKey: options.key, id: options.id, nowMs: options.atMs ?? nowMs, random: createSystemRandom() },
      options.kind ?? 'tls',
      spkiOf(generateKey(options.kind === 'signing' ? 'ed25519' : 'ec')),
      // A forger copies the victim's authority key identifier too.
      spkiOf((options.id === a.id ? a : b).root.key),
    );

  /** Like a real leaf of `a`, signed by a's own identity key, with other extensions. */
  const oddLeaf = async (extensions: x509.Extension[], subject = `CN=${a.id}`): Promise<Uint8Array> => {
    const pkcs8 = a.root.key.export({ type: 'pkcs8', format: 'der' });
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
    const signingKey = await webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']);
    const certificate = await x509.X509CertificateGenerator.create({
      subject,
      issuer: `CN=${a.id}`,
      notBefore: new Date(nowMs - 1000),
      notAfter: new Date(nowMs + DAY_MS),
      publicKey: Uint8Array.from(spkiOf(generateKey('ec'))),
      signingKey,
      signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
      extensions,
    });
    return new Uint8Array(certificate.rawData);
  };
  const uses = (...usages: string[]) => new x509.ExtendedKeyUsageExtension(usages, true);
  const tlsUses = uses('1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2');
  const uris = (...values: string[]) =>
    new x509.SubjectAlternativeNameExtension([
      ...values.map((value) => ({ type: 'url' as const, value })),
      { type: 'dns', value: TLS_SERVER_NAME },
    ]);

  it('proves the node whose pinned identity issued it', () => {
    expect(check(tlsLeafOf(a))).toEqual({ verified: true, id: a.id });
    expect(check(tlsLeafOf(b))).toEqual({ verified: true, id: b.id });
  });

  it('of a node that is not pinned proves nobody', () => {
    const result = verifyPeerCertificate({ leafDer: tlsLeafOf(a), pins: pinned(b), nowMs });
    expect(result).toMatchObject({ verified: false, reason: 'unknown-peer' });
  });

  it('of one pinned peer that names another proves nobody', async () => {
    expect(check(await leafWith({ key: a.root.key, id: b.id }))).toMatchObject({
      verified: false,
      reason: 'bad-signature',
    });
  });

  it('from another authority with the same name proves nobody', async () => {
    expect(check(await leafWith({ key: generateKey('ec'), id: a.id }))).toMatchObject({
      verified: false,
      reason: 'bad-signature',
    });
  });

  it('signed by the key in itself proves nobody', async () => {
    const key = generateKey('ec');
    const leaf = await issueLeafCertificate(
      { identityKey: key, id: a.id, nowMs, random: createSystemRandom() },
      'tls',
      spkiOf(key),
      spkiOf(a.root.key),
    );
    expect(check(leaf)).toMatchObject({ verified: false, reason: 'bad-signature' });
  });

  it('that is the identity certificate itself proves nobody', () => {
    expect(check(a.root.certificateDer)).toMatchObject({ verified: false, reason: 'no-id' });
  });

  it('for signing is not for TLS', async () => {
    expect(check(a.identity.signingCertificate())).toMatchObject({ verified: false });
  });

  it('is good a minute around its validity and no longer', async () => {
    const leaf = await leafWith({ key: a.root.key, id: a.id, atMs: nowMs });
    const { notBefore, notAfter } = new x509.X509Certificate(Uint8Array.from(leaf));
    expect(check(leaf, notAfter.getTime() + 60_000)).toMatchObject({ verified: true });
    expect(check(leaf, notAfter.getTime() + 60_001)).toMatchObject({ verified: false, reason: 'expired' });
    const early = await leafWith({ key: a.root.key, id: a.id, atMs: nowMs + DAY_MS });
    const from = new x509.X509Certificate(Uint8Array.from(early)).notBefore.getTime();
    expect(notBefore.getTime()).toBeLessThan(nowMs);
    expect(check(early, from - 60_001)).toMatchObject({ verified: false, reason: 'not-yet-valid' });
    expect(check(early, from - 60_000)).toMatchObject({ verified: true });
  });

  it('is refused with every name, use or extension that it should not have', async () => {
    const own = `writ:${a.id}`;
    const control = await oddLeaf([uris(own), tlsUses]);
    expect(check(control)).toEqual({ verified: true, id: a.id });
    const cases: readonly [x509.Extension[], string, string?][] = [
      [[tlsUses], 'no-id'],
      [[uris(own, `writ:${b.id}`), tlsUses], 'no-id'],
      [[uris(own, own), tlsUses], 'no-id'],
      [[uris(own), uris(`writ:${b.id}`), tlsUses], 'wrong-issuer'],
      [[uris(own, `WRIT:${b.id}`), tlsUses], 'no-id'],
      [[uris(own.toUpperCase()), tlsUses], 'no-id'],
      [[uris('writ:laptop'), tlsUses], 'no-id'],
      [[uris(`https://${a.id}`), tlsUses], 'no-id'],
      [[uris(`writ:${b.id}`), tlsUses], 'wrong-issuer'],
      [[uris(own), tlsUses], 'wrong-issuer', `CN=${b.id}`],
      [[uris(own)], 'wrong-use'],
      [[uris(own), uses('1.3.6.1.5.5.7.3.2')], 'wrong-use'],
      [[uris(own), uses('2.5.29.37.0')], 'wrong-use'],
      [[uris(own), tlsUses, new x509.BasicConstraintsExtension(true, 0, true)], 'wrong-use'],
      [[new x509.SubjectAlternativeNameExtension([{ type: 'url', value: own }]), tlsUses], 'no-id'],
      [[new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: `x, URI:${own}` }]), tlsUses], 'no-id'],
    ];
    for (const [extensions, reason, subject] of cases) {
      expect(check(await oddLeaf(extensions, subject)), `${reason} ${subject ?? ''}`).toMatchObject({
        verified: false,
        reason,
      });
    }
  });

  it('is refused with any one byte of it changed, with a byte more, and as garbage', () => {
    const leaf = tlsLeafOf(a);
    let refused = 0;
    for (let i = 0; i < leaf.length; i++) {
      const forged = Uint8Array.from(leaf);
      forged[i] = (forged[i] ?? 0) ^ 0x01;
      if (!check(forged).verified) refused++;
    }
    expect(refused).toBe(leaf.length);
    expect(check(Buffer.concat([leaf, Buffer.from([0])])).verified).toBe(false);
    for (const garbage of [[], [0x30], [0x30, 0x80], Array(10_000).fill(0x30)]) {
      expect(check(Uint8Array.from(garbage))).toMatchObject({ verified: false, reason: 'malformed' });
    }
  });
});
