import { createSystemRandom, type DecisionStatement, isWritError } from '@writ/core';
import { describe, expect, it } from 'vitest';
import { approverIdOf } from './approver-id.ts';
import { createApproverKey, unlockApproverKey } from './approver-key.ts';
import { isApproverKey, verifyDecision } from './decision-signature.ts';
import { USUAL_COST } from './passphrase-box.ts';

const random = createSystemRandom();
/** The least that is accepted: tests need no cost. */
const cost = { logN: 14, r: 8, p: 1 } as const;
const PASSPHRASE = 'correct horse battery';
const create = () => createApproverKey({ passphrase: PASSPHRASE, random, cost });

const STATEMENT: DecisionStatement = {
  node: 'wn-b',
  approval: 'a1',
  kind: 'execution',
  digest: 'd'.repeat(64),
  preview: 'e'.repeat(64),
  answer: 'approve',
  scope: 'once',
  expiresAtMs: 5000,
};

/** The code and message of what `fn` is rejected with. */
async function refusal(fn: () => Promise<unknown>): Promise<string> {
  try {
    await fn();
    return 'none';
  } catch (error) {
    return isWritError(error) ? `${error.code}: ${error.message}` : String(error);
  }
}

/** A key file with some fields changed. */
function change(sealed: Uint8Array, fields: object): Uint8Array {
  return Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(sealed).toString()), ...fields }));
}

describe('the key of an approver', () => {
  it('signs after it was unlocked with its passphrase', async () => {
    const made = await create();
    const key = await unlockApproverKey(made.sealed, PASSPHRASE);
    expect([key.id, key.publicKey]).toEqual([made.id, made.publicKey]);
    expect(verifyDecision(made, key.sign(STATEMENT), STATEMENT)).toBe(true);
    expect(made.id).toMatch(/^ap-[a-z2-7]{32}$/);
  });

  it('opens with the same letters in another spelling', async () => {
    const { sealed } = await createApproverKey({ passphrase: 'vier f\u00fc\u00dfe gro\u00df', random, cost });
    await expect(unlockApproverKey(sealed, 'vier fu\u0308\u00dfe gro\u00df')).resolves.toBeDefined();
  });

  it('says clearly that a passphrase is wrong, ten times as the first, and opens after that', async () => {
    const { sealed } = await create();
    for (const wrong of ['', 'correct horse batterz', ...Array.from({ length: 8 }, (_, i) => `guess ${i}`)]) {
      expect(await refusal(() => unlockApproverKey(sealed, wrong))).toMatch(/^NOT_APPROVER: the passphrase is wrong/);
    }
    await expect(unlockApproverKey(sealed, PASSPHRASE)).resolves.toBeDefined();
  });

  it.each(['', '        ', 'short', 'x'.repeat(1025)])('is not made under %j', async (passphrase) => {
    expect(await refusal(() => createApproverKey({ passphrase, random, cost }))).toMatch(/^BAD_REQUEST/);
  });

  it('holds neither the key nor the passphrase in the clear, and its parameters', async () => {
    const { sealed } = await createApproverKey({ passphrase: PASSPHRASE, random, cost: USUAL_COST });
    const file = JSON.parse(Buffer.from(sealed).toString());
    expect(file.kdf).toMatchObject({ name: 'scrypt', logN: 17, r: 8, p: 1 });
    expect(Buffer.from(sealed).includes(PASSPHRASE)).toBe(false);
    expect(Object.keys(file).sort()).toEqual(['aead', 'box', 'id', 'kdf', 'kind', 'nonce', 'publicKey', 'v']);
  });

  it('does not open once who it says it is was changed', async () => {
    const [made, other] = [await create(), await create()];
    const forged = change(made.sealed, { id: other.id, publicKey: other.publicKey });
    expect(await refusal(() => unlockApproverKey(forged, PASSPHRASE))).toMatch(/^NOT_APPROVER/);
    const box = JSON.parse(Buffer.from(other.sealed).toString());
    const swapped = change(made.sealed, { box: box.box, nonce: box.nonce, kdf: box.kdf });
    expect(await refusal(() => unlockApproverKey(swapped, PASSPHRASE))).toMatch(/^NOT_APPROVER/);
  });

  it('refuses a file that is none, or whose cost is too small or would take the memory', async () => {
    const { sealed } = await create();
    const { kdf } = JSON.parse(Buffer.from(sealed).toString());
    const files = [
      Buffer.alloc(0),
      Buffer.from('no json'),
      Buffer.alloc(5000, ' '),
      change(sealed, { v: 2 }),
      change(sealed, { kind: 'passkey' }),
      change(sealed, { more: 1 }),
      change(sealed, { kdf: { ...kdf, logN: 4 } }),
      change(sealed, { kdf: { ...kdf, logN: 30 } }),
      change(sealed, { kdf: { ...kdf, p: 1000 } }),
      change(sealed, { box: 'AAAA' }),
      change(sealed, { nonce: `${'A'.repeat(15)}=` }),
    ];
    for (const file of files) expect(await refusal(() => unlockApproverKey(file, PASSPHRASE))).toMatch(/^BAD_REQUEST/);
  });

  it('signs no more after it was locked', async () => {
    const key = await unlockApproverKey((await create()).sealed, PASSPHRASE);
    key.lock();
    expect(() => key.sign(STATEMENT)).toThrow(/locked/);
  });
});

describe('a signed decision', () => {
  it('holds for no other statement', async () => {
    const made = await create();
    const proof = (await unlockApproverKey(made.sealed, PASSPHRASE)).sign(STATEMENT);
    const { scope: _, ...unscoped } = STATEMENT;
    const others: DecisionStatement[] = [
      { ...STATEMENT, node: 'wn-c' },
      { ...STATEMENT, approval: 'a2' },
      { ...STATEMENT, kind: 'plan' },
      { ...STATEMENT, digest: 'f'.repeat(64) },
      { ...STATEMENT, preview: 'f'.repeat(64) },
      { ...STATEMENT, answer: 'deny' },
      { ...STATEMENT, scope: 'session' },
      { ...STATEMENT, expiresAtMs: 5001 },
      unscoped,
    ];
    expect(others.map((other) => verifyDecision(made, proof, other))).toEqual(others.map(() => false));
    expect(verifyDecision(made, proof, { ...STATEMENT })).toBe(true);
  });

  it('is by nobody else, and by no other kind of credential', async () => {
    const [made, other] = [await create(), await create()];
    const proof = (await unlockApproverKey(made.sealed, PASSPHRASE)).sign(STATEMENT);
    if (proof.kind !== 'passphrase') throw new Error('unreachable');
    expect(verifyDecision(other, proof, STATEMENT)).toBe(false);
    expect(verifyDecision({ ...other, id: made.id }, proof, STATEMENT)).toBe(false);
    expect(verifyDecision({ ...made, kind: 'passkey' }, proof, STATEMENT)).toBe(false);
    const garbled = { ...made, publicKey: 'AAAA', id: approverIdOf(Buffer.from('AAAA', 'base64url')) };
    expect(verifyDecision(garbled, { ...proof, approver: garbled.id }, STATEMENT)).toBe(false);
    expect([isApproverKey(made), isApproverKey(garbled), isApproverKey({ ...made, id: other.id })]).toEqual([
      true,
      false,
      false,
    ]);
    expect(verifyDecision(made, { kind: 'terminal' }, STATEMENT)).toBe(false);
    const garbage = ['', 'A', `${proof.signature}=`, proof.signature.slice(2), 'A'.repeat(86)];
    for (const signature of garbage) expect(verifyDecision(made, { ...proof, signature }, STATEMENT)).toBe(false);
  });
});
