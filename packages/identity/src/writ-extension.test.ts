import { sign } from 'node:crypto';
import { isWritError, type Json } from '@writ/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestNodes, firstClaims, type TestNode, type TestNodes } from './testing/nodes.ts';
import type { ChainCheck, ExtensionClaims, VerifiedChain, WritClaims } from './types.ts';
import { verifyChain } from './writ-chain.ts';
import { extendWrit, extensionFault, extensionsOf, withExtensions } from './writ-extension.ts';
import { formatWrit, joinExtension, type Mark } from './writ-format.ts';
import { issueWrit, writDigest } from './writ-issue.ts';
import { chainIssuedAt, readWritClaims } from './writ-read.ts';

const DAY_S = 24 * 3600;

describe('the extension of a writ', () => {
  let nodes: TestNodes;
  let a: TestNode;
  let b: TestNode;
  let c: TestNode;
  let check: ChainCheck;
  let one: string;
  let two: string;
  let claims: WritClaims;
  beforeAll(async () => {
    nodes = await createTestNodes(3);
    [a, b, c] = nodes.nodes as [TestNode, TestNode, TestNode];
    claims = firstClaims(a, b, nodes.clock.nowMs());
    one = issueWrit(a.identity, claims);
    const next = { iss: b.id, aud: c.id, task: 'task-2', depth: 1, nonce: '2'.repeat(32), prev: writDigest(one) };
    two = issueWrit(b.identity, { ...claims, ...next });
    check = { self: c.id, tlsPeer: b.id, nowMs: (claims.exp + 300) * 1000, maxChain: 8 };
  });
  afterAll(() => nodes.remove());

  const verify = (chain: readonly string[], more: Partial<ChainCheck> = {}): VerifiedChain =>
    verifyChain(chain, { ...check, ...more }, { get: () => b.identity.public });
  const refusal = (chain: readonly string[], more?: Partial<ChainCheck>): string => {
    try {
      verify(chain, more);
      return 'accepted';
    } catch (error) {
      return isWritError(error) ? `${error.code} ${error.details.hop} ${error.details.field}` : String(error);
    }
  };
  const extend = (by: TestNode, writ: string, seconds: number): string =>
    extendWrit(by.identity, writ, { iat: claims.exp, exp: claims.exp + seconds });
  /** What a node that lies can sign with its own keys. */
  const lie = (
    by: TestNode,
    writ: string,
    change: Partial<Record<keyof ExtensionClaims, Json>>,
    mark: Mark = 'more1',
  ) => {
    const { iss, aud, task, nonce } = readWritClaims(writ) as WritClaims;
    const honest = { v: 1, iss, aud, task, nonce, writ: writDigest(writ), iat: claims.exp, exp: claims.exp + 600 };
    const signed = { identityDer: by.root.certificateDer, signingDer: by.identity.signingCertificate() };
    const parts = { ...signed, claims: { ...honest, ...change } };
    return joinExtension(
      writ,
      formatWrit(mark, parts, (data) => sign(null, data, by.signing.key)),
    );
  };

  it('lets a chain live on whose every hop has one, and moves nothing but the end', () => {
    expect(refusal([one, two])).toBe('WRIT_EXPIRED 1 exp');
    const { hops, last, ids } = verify([extend(a, one, 900), extend(b, two, 600)]);
    expect(ids).toEqual([a.id, b.id]);
    expect(last).toEqual({ ...readWritClaims(two), exp: claims.exp + 600, renewedAt: claims.exp });
    expect(hops[0]?.exp).toBe(claims.exp + 900);
  });

  it('is needed of every hop: no child outlives what stands before it', () => {
    expect(refusal([one, extend(b, two, 600)])).toBe('WRIT_EXPIRED 1 exp');
    expect(refusal([extend(a, one, 900), two])).toBe('WRIT_EXPIRED 2 exp');
    expect(refusal([one, extend(b, two, 600)], { nowMs: claims.exp * 1000 })).toBe('WRIT_INVALID 2 exp');
    expect(refusal([extend(a, one, 599), extend(b, two, 600)])).toBe('WRIT_INVALID 2 exp');
  });

  it('ends too, and may be followed by another', () => {
    const ended = { nowMs: (claims.exp + 900 + 61) * 1000 };
    const renewed = [extend(a, one, 900), extend(b, two, 900)];
    expect(refusal(renewed, ended)).toBe('WRIT_EXPIRED 1 exp');
    const again = [extend(a, renewed[0] ?? '', 2000), extend(b, renewed[1] ?? '', 2000)];
    expect(verify(again, ended).last.exp).toBe(claims.exp + 2000);
    expect(again.every((compact) => compact.split('~').length === 2)).toBe(true);
  });

  it.each<[string, string, (writ: string) => string]>([
    ['signed by the receiver', 'iss', (writ) => lie(b, writ, {})],
    ['signed by the receiver in its own name', 'iss', (writ) => lie(b, writ, { iss: b.id })],
    ['for another audience', 'aud', (writ) => lie(a, writ, { aud: c.id })],
    ['of another task', 'task', (writ) => lie(a, writ, { task: 'other' })],
    ['of another nonce', 'nonce', (writ) => lie(a, writ, { nonce: 'f'.repeat(32) })],
    ['of another writ', 'writ', (writ) => lie(a, writ, { writ: 'f'.repeat(64) })],
    ['to an end that the writ has', 'exp', (writ) => lie(a, writ, { exp: claims.exp })],
    ['for more than a day', 'exp', (writ) => lie(a, writ, { exp: claims.exp + DAY_S + 1 })],
    ['from before the writ', 'iat', (writ) => lie(a, writ, { iat: claims.iat - 1 })],
    ['from the future', 'iat', (writ) => lie(a, writ, { iat: claims.exp + 400, exp: claims.exp + 500 })],
    ['of another version', 'v', (writ) => lie(a, writ, { v: 2 })],
    ['that calls itself a writ', 'form', (writ) => lie(a, writ, {}, 'writ1')],
    ['with a changed signature', 'signature', (writ) => `${lie(a, writ, {}).slice(0, -4)}AAAA`],
    ['of two', 'form', (writ) => `${lie(a, writ, {})}~${lie(a, writ, {}).split('~')[1]}`],
    ['of nothing', 'form', (writ) => `${writ}~`],
  ])('is refused %s', (_what, field, make) => {
    expect(refusal([make(one), extend(b, two, 300)])).toBe(`WRIT_INVALID 1 extension.${field}`);
  });

  it('may be for a day and not for longer, and may be from the time of the writ', () => {
    expect(verify([lie(a, one, { exp: claims.exp + DAY_S }), extend(b, two, 300)]).hops[0]?.exp).toBe(
      claims.exp + DAY_S,
    );
    expect(verify([lie(a, one, { iat: claims.iat }), extend(b, two, 300)]).hops[0]?.renewedAt).toBe(claims.iat);
  });

  it('is taken a minute before its time, and not sooner', () => {
    const chain = [lie(a, one, { iat: claims.exp + 360 }), lie(b, two, {})];
    expect(verify(chain).hops[0]?.renewedAt).toBe(claims.exp + 360);
    expect(refusal(chain, { nowMs: check.nowMs - 1 })).toBe('WRIT_INVALID 1 extension.iat');
  });

  it.each<[string, (writ: string) => string, string]>([
    ['whose it is', (writ) => lie(b, writ, {}), `iss: signed by `],
    ['what it says of another writ', (writ) => lie(a, writ, { task: 'x\u202ey' }), 'task: not a printable id'],
    ['another task', (writ) => lie(a, writ, { task: 'other' }), 'task: `other` is not the one of the writ'],
    ['another writ', (writ) => lie(a, writ, { writ: 'f'.repeat(64) }), 'writ: it is of another writ'],
    ['no later end', (writ) => lie(a, writ, { exp: claims.exp }), 'exp: it does not extend the writ'],
    ['too long a life', (writ) => lie(a, writ, { exp: claims.exp + DAY_S + 1 }), 'exp: it lives longer than 24 hours'],
    ['too early a time', (writ) => lie(a, writ, { iat: claims.iat - 1 }), 'iat: issued before the writ'],
    ['too late a time', (writ) => lie(a, writ, { iat: claims.exp + 400 }), 'iat: issued in the future'],
    ['an unknown field', (writ) => lie(a, writ, { more: 1 } as never), 'more: unknown field'],
    ['its form', (writ) => `${writ}~more1`, 'form: it has not four parts'],
    ['its signature', (writ) => `${lie(a, writ, {}).slice(0, -4)}AAAA`, 'signature: it does not fit'],
  ])('says where it is refused why: %s', (_what, make, why) => {
    const run = () => verify([make(one), extend(b, two, 300)]);
    expect(run).toThrow(expect.objectContaining({ message: expect.stringMatching(/^hop 1: extension\./) }));
    expect(run).toThrow(`extension.${why}`);
  });

  it('has a fault where it cannot be read', () => {
    expect(extensionFault('garbage', one, claims)).toEqual({ field: 'extension', why: 'it cannot be read' });
    expect(extensionFault(extensionsOf([extend(a, one, 1)])[0] ?? '', one, claims)).toBeUndefined();
  });

  it('is no writ, wherever it stands', () => {
    const [extension = ''] = extensionsOf([extend(a, one, 900)]);
    expect(refusal([extension, two])).toBe('WRIT_INVALID 1 form');
  });

  it('is signed of a node for its own writs only, and only to a later end', () => {
    const refused = (message: string) => expect.objectContaining({ code: 'WRIT_INVALID', message });
    const other = refused('cannot extend a writ of another node');
    const end = refused('cannot extend it: the writ has that end already');
    expect(() => extend(b, one, 900)).toThrow(other);
    expect(() => extend(a, 'garbage', 900)).toThrow(other);
    expect(() => extend(a, one, 0)).toThrow(end);
    expect(() => extend(a, one, -1)).toThrow(end);
    expect(() => extend(a, extend(a, one, 900), 900)).toThrow(end);
    expect(readWritClaims(extend(a, one, 1))?.exp).toBe(claims.exp + 1);
  });

  it('finds the writ that it is of, and gives way to none that ends earlier', () => {
    const [later, sooner] = [extend(a, one, 900), extend(a, one, 600)];
    const given = (...chain: string[]) => extensionsOf(chain);
    expect(withExtensions([one, two], given(later))).toEqual([later, two]);
    expect(withExtensions([later, two], given(sooner))).toEqual([later, two]);
    expect(withExtensions([sooner, two], given(later))).toEqual([later, two]);
    const asLate = lie(a, one, { iat: claims.exp + 1, exp: claims.exp + 900 });
    expect(withExtensions([later, two], given(asLate))).toEqual([later, two]);
    expect(withExtensions([one, two], given(extend(b, two, 5), later))).toEqual([later, extend(b, two, 5)]);
    expect(withExtensions([one, two], [])).toEqual([one, two]);
    const stray = expect.objectContaining({
      code: 'WRIT_INVALID',
      message: 'an extension of no writ that this task came with',
    });
    expect(() => withExtensions([two], given(later))).toThrow(stray);
    expect(() => withExtensions([one], ['garbage'])).toThrow(stray);
    expect(() => withExtensions([], given(later))).toThrow(stray);
  });

  it('proves nothing of what cannot be read, and stands beside it all the same', () => {
    const [extension = ''] = extensionsOf([lie(a, one, { writ: writDigest('garbage') })]);
    expect(withExtensions(['garbage'], [extension])).toEqual([`garbage~${extension}`]);
    expect(readWritClaims(`garbage~${extension}`)).toBeUndefined();
    expect(readWritClaims(`${one}~garbage`)).toBeUndefined();
    expect(readWritClaims(extension)).toBeUndefined();
  });

  it('tells when a chain became what it is', () => {
    expect(chainIssuedAt([one, two])).toBe(claims.iat);
    expect(chainIssuedAt([extend(a, one, 900), two])).toBe(claims.exp);
    expect(chainIssuedAt(['garbage', two])).toBe(claims.iat);
    expect(chainIssuedAt([one, 'garbage'])).toBeUndefined();
    expect(chainIssuedAt([])).toBeUndefined();
  });
});
