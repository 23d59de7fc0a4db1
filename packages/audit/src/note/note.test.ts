import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readCheckpoint } from './checkpoint.ts';
import { formatNote, keyIdOf, readNote, splitNotes } from './signed-note.ts';

/** The example of the format's first implementation, golang.org/x/mod/sumdb/note. */
const NAME = 'PeterNeumann';
const KEY = 'ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const NOTE = `If you think cryptography is the answer to your problem,
then you don't know what your problem is.

— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
`;
/** The example of https://c2sp.org/tlog-checkpoint. */
const CHECKPOINT = `example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
`;

describe('a signed note', () => {
  const publicKey = Buffer.from(KEY, 'base64').subarray(1);

  it('of another implementation is read, its key found and its signature checked', () => {
    const note = readNote(NOTE) ?? expect.fail('not read');
    expect(keyIdOf(NAME, publicKey)).toBe('c74f20a3');
    expect(note.signatures).toMatchObject([{ name: NAME, keyId: 'c74f20a3' }]);
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') },
      format: 'jwk',
    });
    const [{ signature } = expect.fail('no signature')] = note.signatures;
    expect(verify(null, Buffer.from(note.text), key, signature)).toBe(true);
    expect(formatNote(note)).toBe(NOTE);
  });

  it.each([
    ['without its end', NOTE.slice(0, -1)],
    ['without a signature', NOTE.slice(0, NOTE.indexOf('—'))],
    ['with a hyphen for the dash', NOTE.replace('—', '-')],
    ['with base64 in another spelling', NOTE.replace('nAM=', 'nAN=')],
    ['with a signature of no key', NOTE.replace(/ x08.*=/, ' x08g')],
    ['with a space in the name', NOTE.replace('PeterNeumann', 'Peter Neumann')],
    ['that is nothing', ''],
  ])('%s is none', (_, text) => {
    expect(readNote(text)).toBeUndefined();
  });
});

describe('a checkpoint', () => {
  it('is read from the example of its specification', () => {
    expect(readCheckpoint(CHECKPOINT)).toMatchObject({ origin: 'example.com/behind-the-sofa', size: 20852163 });
  });

  it.each([
    ['with a size that has two spellings', CHECKPOINT.replace('20852163', '020852163')],
    ['with a size that is no number', CHECKPOINT.replace('20852163', '2085216x')],
    ['with a size beyond counting', CHECKPOINT.replace('20852163', '99999999999999999999')],
    ['with half a root', CHECKPOINT.replace('CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=', 'CsUYapGGPo4=')],
    ['without a root', CHECKPOINT.replace('CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n', '')],
  ])('%s is none', (_, text) => {
    expect(readCheckpoint(text)).toBeUndefined();
  });

  it('is found among others in one file, and the last where it is half written', () => {
    expect(splitNotes(CHECKPOINT + NOTE)).toEqual({ notes: [CHECKPOINT, NOTE], rest: '' });
    expect(splitNotes(`${CHECKPOINT}exam`)).toEqual({ notes: [CHECKPOINT], rest: 'exam' });
    expect(splitNotes(CHECKPOINT + NOTE.slice(0, -5))).toEqual({ notes: [CHECKPOINT], rest: NOTE.slice(0, -5) });
    expect(splitNotes('')).toEqual({ notes: [], rest: '' });
  });
});
