import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyNodeSignature } from './node-signature.ts';
import { createSignerCache } from './signer.ts';
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

  it.each([
    ['', false],
    [', also after it was proved once', true],
  ])('is refused with other bytes, another signature, another certificate, or at another time%s', (_how, isKnown) => {
    const signers = createSignerCache();
    if (isKnown) for (const by of [a, b]) expect(check(by, { signers }).verified).toBe(true);
    const refused = (more: Parameters<typeof check>[1]) => check(a, isKnown ? { ...more, signers } : more);
    expect(refused({ data: Buffer.from('other') })).toMatchObject({ verified: false, field: 'signature' });
    expect(refused({ signature: b.identity.sign(data) })).toMatchObject({ verified: false, field: 'signature' });
    expect(refused({ signature: new Uint8Array() })).toMatchObject({ verified: false, field: 'signature' });
    expect(refused({ signingDer: b.identity.signingCertificate() })).toMatchObject({ field: 'signing' });
    expect(refused({ identityDer: derOf(b.identity.public.certificatePem) })).toMatchObject({ field: 'signing' });
    expect(refused({ identityDer: a.identity.signingCertificate() })).toMatchObject({ field: 'identity' });
    expect(refused({ identityDer: new Uint8Array() })).toMatchObject({ field: 'identity' });
    expect(refused({ atMs: 0 })).toMatchObject({ verified: false, field: 'signing' });
    expect(refused({ atMs: Number.NaN })).toMatchObject({ verified: false, field: 'signing' });
  });

  it('of a node that was proved before is proved no more, and of many nodes the first is forgotten', () => {
    const signers = createSignerCache();
    const reads: string[] = [];
    const get = signers.proved.get.bind(signers.proved);
    signers.proved.get = (name) => {
      const found = get(name);
      reads.push(found === undefined ? 'new' : 'known');
      return found;
    };
    expect([check(a, { signers }), check(a, { signers })]).toEqual([check(a), check(a)]);
    expect(reads).toEqual(['new', 'known']);
    const [name = '', signer] = [...signers.proved][0] ?? [];
    if (signer === undefined) throw new Error('nothing was remembered');
    for (let i = 1; i < 256; i++) signers.proved.set(String(i), signer);
    check(b, { signers });
    expect([signers.proved.size, signers.proved.has(name)]).toEqual([256, false]);
  });

  it('is not remembered where it does not hold', () => {
    const signers = createSignerCache();
    check(a, { signers, atMs: 0 });
    check(a, { signers, signingDer: b.identity.signingCertificate() });
    check(a, { signers, identityDer: new Uint8Array() });
    expect(signers.proved.size).toBe(0);
  });
});
