import type { ApproverProof, DecisionStatement } from '@writ/core';
import { isWritError, WritError } from '@writ/core';
import type { ControlClient } from '@writ/gateway/client';
import type { UnlockedApprover } from '@writ/identity';
import type { Home } from '../../home.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { readKeyFiles } from './key-files.ts';

/** Passphrases that one command takes before it gives up; the next command takes as many. */
const TRIES = 3;

/** Proves that the person at the terminal answers; holds an open key until it is closed. */
export interface Prover {
  /** Id of the node whose home this is: what is signed is for it alone. */
  readonly node: string;
  prove(statement: DecisionStatement): ApproverProof;
  /** Forgets the key. */
  close(): void;
}

/** What a prover is opened with. */
export interface ProverRequest {
  readonly node: ControlClient;
  readonly home: Home;
  readonly terminal: Terminal;
  /** A key that is kept elsewhere. */
  readonly keyFile: string | undefined;
}

/**
 * Asks for the passphrase of an approver of this node at the terminal; where the configuration takes a terminal for one,
 * that there is one is the proof. Throws NOT_APPROVER after too many wrong ones, CANCELLED.
 */
export async function openProver({ node, home, terminal, keyFile }: ProverRequest): Promise<Prover> {
  const { readPublicIdentity } = await import('@writ/identity');
  const { mode, approvers } = await node.call('approver_list', {});
  // From the home, and not from whoever answers at its socket.
  const { id } = await readPublicIdentity(home.keysDir);
  if (mode === 'terminal') return { node: id, prove: () => ({ kind: 'terminal' }), close: () => {} };
  const keys = await readKeyFiles(
    home,
    approvers.map(({ id }) => id),
    keyFile,
  );
  const names = approvers.map(({ label }) => label).join(' or ');
  for (let left = TRIES; left > 0; left -= 1) {
    const passphrase = await terminal.askSecret(`passphrase of ${names}: `);
    const key = await unlockAny(keys, passphrase);
    if (key !== undefined) return { node: id, prove: (statement) => key.sign(statement), close: () => key.lock() };
    terminal.write('that is not the passphrase\n');
  }
  throw new WritError('NOT_APPROVER', 'the passphrase is wrong', {
    nextSteps: ['try again', 'one that is lost is lost: have another approver enrol a new key'],
  });
}

async function unlockAny(keys: readonly Uint8Array[], passphrase: string): Promise<UnlockedApprover | undefined> {
  const { unlockApproverKey } = await import('@writ/identity');
  for (const sealed of keys) {
    try {
      return await unlockApproverKey(sealed, passphrase);
    } catch (error) {
      if (!isWritError(error, 'NOT_APPROVER')) throw error;
    }
  }
  return undefined;
}
