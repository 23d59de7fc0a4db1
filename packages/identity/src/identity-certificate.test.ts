import 'reflect-metadata';
import { type KeyObject, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readIdentityCertificate } from './identity-certificate.ts';
import { certificatePemOf, generateKey, spkiOf } from './identity-files.ts';
import { nodeIdOf } from './node-id.ts';
import { createTestNodes, type TestNode, type TestNodes } from './testing/nodes.ts';

describe('an identity certificate', () => {
  let nodes: TestNodes;
  let a: TestNode;
  let b: TestNode;
  beforeAll(async () => {
    nodes = await createTestNodes(2);
    [a, b] = nodes.nodes as [TestNode, TestNode];
  });
  afterAll(() => nodes.remove());

  const make = async (options: {
    readonly over: KeyObject;
    readonly signedBy?: KeyObject;
    readonly subject?: string;
    readonly issuer?: string;
    readonly ca?: boolean;
  }): Promise<Uint8Array> => {
    const name = `CN=${nodeIdOf(spkiOf(options.over))}`;
    const pkcs8 = (options.signedBy ?? options.over).export({ type: 'pkcs8', format: 'der' });
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
    const certificate = await x509.X509CertificateGenerator.create({
      subject: options.subject ?? name,
      issuer: options.issuer ?? name,
      publicKey: Uint8Array.from(spkiOf(options.over)),
      signingKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']),
      signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
      extensions: [new x509.BasicConstraintsExtension(options.ca ?? true, undefined, true)],
    });
    return new Uint8Array(certificate.rawData);
  };

  it('is read from PEM and from DER, and gives the id of its key', () => {
    const { id, certificatePem } = a.identity.public;
    expect(readIdentityCertificate(certificatePem).pin).toEqual({ id, certificatePem });
    expect(readIdentityCertificate(a.root.certificateDer).pin).toEqual({ id, certificatePem });
    expect(readIdentityCertificate(certificatePem.replaceAll('\n', '\r\n')).pin).toEqual({ id, certificatePem });
  });

  it('is refused unless it is an authority, named by its own key and signed by it', async () => {
    const key = generateKey('ec');
    expect(readIdentityCertificate(await make({ over: key })).id).toBe(nodeIdOf(spkiOf(key)));
    const wrongs: readonly [Parameters<typeof make>[0], RegExp][] = [
      [{ over: key, ca: false }, /no certificate authority/],
      [{ over: key, signedBy: generateKey('ec') }, /not signed by its own key/],
      // Named like a peer, it would stand in the way of that peer's.
      [{ over: key, subject: `CN=${a.id}` }, /its subject is/],
      [{ over: key, subject: `CN=${a.id}`, issuer: `CN=${a.id}` }, /its subject is/],
      [{ over: key, issuer: `CN=${a.id}` }, /its issuer is/],
      [{ over: generateKey('ed25519'), signedBy: key }, /not on the curve/],
    ];
    for (const [options, why] of wrongs) {
      const der = await make(options);
      expect(() => readIdentityCertificate(der)).toThrow(
        expect.objectContaining({ code: 'BAD_REQUEST', message: expect.stringMatching(why) }),
      );
    }
  });

  it('is refused with anything beside it', () => {
    const pem = a.identity.public.certificatePem;
    for (const data of ['', 'garbage', pem + b.identity.public.certificatePem, `x${pem}`, pem.slice(0, -40)]) {
      expect(() => readIdentityCertificate(data)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
    }
    const longer = Buffer.concat([a.root.certificateDer, Buffer.from([0])]);
    expect(() => readIdentityCertificate(longer)).toThrow(/no certificate/);
    expect(() => readIdentityCertificate(certificatePemOf(longer))).toThrow(/no certificate/);
  });
});
