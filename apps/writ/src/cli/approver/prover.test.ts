import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom, type DecisionStatement, ensurePrivateDirectory } from '@writ/core';
import { createControlClient } from '@writ/gateway/client';
import { createApproverKey, createIdentity, type NewApproverKey, verifyDecision } from '@writ/identity';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Terminal } from '../../terminal/terminal.ts';
import { type FakeNode, startFakeNode } from '../testing/fake-node.ts';
import { keyFileOf, writeKeyFile } from './key-files.ts';
import { openProver } from './prover.ts';

const PASSPHRASE = 'four words of a test';
const STATEMENT: DecisionStatement = {
  ...{ node: 'n', approval: 'a', kind: 'lease', digest: 'd', preview: 'p', answer: 'approve', scope: 'once' },
  expiresAtMs: 1,
};

let at: FakeNode;
let key: NewApproverKey;
let mode: 'passphrase' | 'terminal';
beforeEach(async () => {
  at = await startFakeNode();
  const random = createSystemRandom();
  await createIdentity({ dir: at.home.keysDir, clock: createSystemClock(), random });
  key = await createApproverKey({ passphrase: PASSPHRASE, random, cost: { logN: 14, r: 8, p: 1 } });
  mode = 'passphrase';
  const { id } = key;
  const approvers = [{ id, label: 'alice', kind: 'passphrase', enrolled_at_ms: 1 }];
  at.answers = { approver_list: () => ({ mode, needed: true, approvers }) };
});
afterEach(() => at.stop());

/** A terminal at which these lines are typed, one after the other. */
function typing(...lines: string[]): Terminal & { readonly asked: string[] } {
  const asked: string[] = [];
  const ask = async (prompt: string): Promise<string> => {
    asked.push(prompt);
    return lines.shift() ?? '';
  };
  return {
    asked,
    write: () => {},
    size: () => ({ columns: 80, rows: 24 }),
    askLine: ask,
    askSecret: ask,
    interrupted: new AbortController().signal,
    close: () => {},
  };
}

const open = (terminal: Terminal, keyFile?: string) =>
  openProver({
    node: createControlClient({ socketPath: at.home.socketFile, token: 'token' }),
    home: at.home,
    terminal,
    keyFile,
  });
const keep = (path = keyFileOf(at.home, key.id)) => writeKeyFile(path, at.home, key.sealed, createSystemRandom());

describe('the proof of an approver', () => {
  it('is a signature with the key in the home, under the passphrase that is typed', async () => {
    await keep();
    const prover = await open(typing('wrong', PASSPHRASE));
    expect(verifyDecision(key, prover.prove(STATEMENT), STATEMENT)).toBe(true);
    prover.close();
    expect(() => prover.prove(STATEMENT)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  });

  it('is refused for a wrong passphrase, ten times over, and then taken as before', async () => {
    await keep();
    for (let wrong = 0; wrong < 12; wrong += 3) {
      const terminal = typing('wrong 1', '', 'wrong 3', PASSPHRASE);
      await expect(open(terminal)).rejects.toMatchObject({ code: 'NOT_APPROVER', message: 'the passphrase is wrong' });
      expect(terminal.asked).toEqual(Array(3).fill('passphrase of alice: '));
    }
    await expect(open(typing(PASSPHRASE))).resolves.toBeDefined();
  });

  it('needs a key of somebody who is enrolled, in the home or where it is named', async () => {
    await expect(open(typing(PASSPHRASE))).rejects.toMatchObject({ code: 'NOT_APPROVER' });
    await keep(keyFileOf(at.home, 'ap-another'));
    await expect(open(typing(PASSPHRASE))).rejects.toMatchObject({ code: 'NOT_APPROVER' });
    const elsewhere = join(at.home.root, 'key.json');
    await expect(open(typing(PASSPHRASE), elsewhere)).rejects.toMatchObject({ code: 'NOT_APPROVER' });
    await keep(elsewhere);
    await expect(open(typing(PASSPHRASE), elsewhere)).resolves.toBeDefined();
  });

  it('is not made with a key that others can read, or with a file that is none', async () => {
    ensurePrivateDirectory(at.home.approversDir);
    writeFileSync(keyFileOf(at.home, key.id), key.sealed, { mode: 0o644 });
    await expect(open(typing(PASSPHRASE))).rejects.toMatchObject({ code: 'HOME_INSECURE' });
    const other = join(at.home.root, 'other');
    writeFileSync(other, 'no key', { mode: 0o600 });
    await expect(open(typing(PASSPHRASE), other)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('is the terminal itself where the configuration takes one, and no passphrase is asked', async () => {
    mode = 'terminal';
    const terminal = typing();
    expect((await open(terminal)).prove(STATEMENT)).toEqual({ kind: 'terminal' });
    expect(terminal.asked).toEqual([]);
  });
});

describe('a key file', () => {
  it('is never written over another, nor into a folder that is not there', async () => {
    await keep();
    await expect(keep()).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(keep(join(at.home.root, 'no', 'folder'))).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});
