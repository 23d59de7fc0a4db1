import { canonicalJson, type Json } from '@writ/core';
import { describe, expect, it } from 'vitest';
import { formatWrit, joinExtension, parseWrit, splitExtension } from './writ-format.ts';

const PARTS = { identityDer: Buffer.from('identity'), signingDer: Buffer.from('signing'), claims: { b: 1, a: ['é'] } };
const SIGNATURE = new Uint8Array(64).fill(7);

/** The compact form of anything, each part as it is given. */
const compact = (header: Json, claims: string, signature: Uint8Array = SIGNATURE, mark = 'writ1'): string =>
  [mark, canonicalJson(header), claims, signature]
    .map((part, at) => (at === 0 ? String(part) : Buffer.from(part as string).toString('base64url')))
    .join('.');

const HEADER = { alg: 'Ed25519', identity: 'aWRlbnRpdHk', signing: 'c2lnbmluZw' };

describe('the compact form of a writ', () => {
  it('is its mark, its certificates, its claims and a signature over all that stands before it', () => {
    const signed: string[] = [];
    const text = formatWrit('writ1', PARTS, (data) => {
      signed.push(Buffer.from(data).toString());
      return SIGNATURE;
    });
    expect(text).toBe(compact(HEADER, '{"a":["é"],"b":1}'));
    expect(signed).toEqual([text.slice(0, text.lastIndexOf('.'))]);
    expect(parseWrit('writ1', text)).toEqual({
      identityDer: new Uint8Array(PARTS.identityDer),
      signingDer: new Uint8Array(PARTS.signingDer),
      claims: PARTS.claims,
      signed: Buffer.from(signed[0] ?? ''),
      signature: SIGNATURE,
    });
  });

  it.each<[string, string, string, string]>([
    ['another mark', compact(HEADER, '{}', SIGNATURE, 'more1'), 'form', 'it does not begin with writ1'],
    ['nothing', '', 'form', 'it does not begin with writ1'],
    ['a mark alone', 'writ1', 'form', 'it has not four parts'],
    ['two parts', 'writ1.e30', 'form', 'it has not four parts'],
    ['three parts', 'writ1.e30.e30', 'form', 'it has not four parts'],
    ['five parts', `${compact(HEADER, '{}')}.e30`, 'form', 'it has not four parts'],
    ['a header that is none', compact('x', '{}'), 'header', 'it is not two certificates'],
    ['another algorithm', compact({ ...HEADER, alg: 'none' }, '{}'), 'header', 'it is not two certificates'],
    ['a header with more in it', compact({ ...HEADER, more: 1 }, '{}'), 'header', 'it is not two certificates'],
    ['no identity', compact({ ...HEADER, identity: '' }, '{}'), 'header', 'it is not two certificates'],
    ['no certificate of the key', compact({ ...HEADER, signing: '' }, '{}'), 'header', 'it is not two certificates'],
    [
      'an identity with padding',
      compact({ ...HEADER, identity: 'eA==' }, '{}'),
      'header',
      'it is not two certificates',
    ],
    [
      'a certificate with padding',
      compact({ ...HEADER, signing: 'eA==' }, '{}'),
      'header',
      'it is not two certificates',
    ],
    ['claims that are no JSON', compact(HEADER, '{'), 'claims', 'not canonical json'],
    ['claims in another spelling', compact(HEADER, '{ }'), 'claims', 'not canonical json'],
    ['a short signature', compact(HEADER, '{}', new Uint8Array(63)), 'signature', 'not a signature'],
    ['a long signature', compact(HEADER, '{}', new Uint8Array(65)), 'signature', 'not a signature'],
    ['a signature with padding', `${compact(HEADER, '{}')}==`, 'signature', 'not a signature'],
  ])('is refused with %s, and says why', (_what, text, field, why) => {
    expect(parseWrit('writ1', text)).toEqual({ field, why });
  });

  it('is refused with claims that are no text', () => {
    const [mark, header, , signature] = compact(HEADER, '{}').split('.');
    const claims = Buffer.from([0x22, 0xff, 0x22]).toString('base64url');
    expect(parseWrit('writ1', [mark, header, claims, signature].join('.'))).toMatchObject({ field: 'claims' });
  });

  it('is looked at up to 32,768 characters', () => {
    const long = compact(HEADER, canonicalJson('x'.repeat(24_000)));
    const fill = (length: number): string => long + 'x'.repeat(length - long.length);
    expect(parseWrit('writ1', fill(32_768))).toEqual({ field: 'signature', why: 'not a signature' });
    expect(parseWrit('writ1', fill(32_769))).toEqual({ field: 'form', why: 'longer than 32768 characters' });
  });
});

describe('the extension of a writ', () => {
  it('stands behind the first seam, whatever is in it', () => {
    expect(joinExtension('writ', undefined)).toBe('writ');
    expect(joinExtension('writ', 'more')).toBe('writ~more');
    expect(splitExtension('writ')).toEqual({ writ: 'writ' });
    expect(splitExtension('writ~more')).toEqual({ writ: 'writ', extension: 'more' });
    expect(splitExtension('writ~more~yet')).toEqual({ writ: 'writ', extension: 'more~yet' });
    expect(splitExtension('writ~')).toEqual({ writ: 'writ', extension: '' });
    expect(splitExtension('~more')).toEqual({ writ: '', extension: 'more' });
  });
});
