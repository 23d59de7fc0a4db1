import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyNodeSignature } from './node-signature.ts';
import { createTestNodes, derOf, type TestNode, type TestNodes } from './testing/nodes.ts';

describe('the signature of a node', () => {
  let nodes: TestNodes;
  let a: TestNode;
  let b: TestNode;
  beforeAll(async () => {
    nodes = await createTestNodes(2);
    [a, b] = nodes.nodes as [TestNode, TestNode];
  });
  afterAll(() => nodes.remove());

  const data = Buffer.from('what was signed');
  const check = (by: TestNode, more: Partial<Parameters<typeof verifyNodeSignature>[0]> = {}) =>
    verifyNodeSignature({
      data,
      signature: by.identity.sign(data),
      signingDer: by.identity.signingCertificate(),
      identityDer: derOf(by.identity.public.certificatePem),
      atMs: nodes.clock.nowMs(),
      ...more,
    });

  it('names its node', () => {
    expect(check(a)).toEqual({ verified: true, id: a.id, pin: a.identity.public });
  });

  it('is refused with other bytes, another signature, another certificate, or at another time', () => {
    expect(check(a, { data: Buffer.from('other') })).toMatchObject({ verified: false, field: 'signature' });
    expect(check(a, { signature: b.identity.sign(data) })).toMatchObject({ verified: false, field: 'signature' });
    expect(check(a, { signature: new Uint8Array() })).toMatchObject({ verified: false, field: 'signature' });
    expect(check(a, { signingDer: b.identity.signingCertificate() })).toMatchObject({ field: 'signing' });
    expect(check(a, { identityDer: derOf(b.identity.public.certificatePem) })).toMatchObject({ field: 'signing' });
    expect(check(a, { identityDer: a.identity.signingCertificate() })).toMatchObject({ field: 'identity' });
    expect(check(a, { identityDer: new Uint8Array() })).toMatchObject({ field: 'identity' });
    expect(check(a, { atMs: 0 })).toMatchObject({ verified: false, field: 'signing' });
    expect(check(a, { atMs: Number.NaN })).toMatchObject({ verified: false, field: 'signing' });
  });
});
