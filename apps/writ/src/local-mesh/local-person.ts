import { createSystemRandom, WritError } from '@writ/core';
import type { ControlClient, LeaseView, OperationInput } from '@writ/gateway/client';
import { createApproverKey, type PassphraseCost, unlockApproverKey } from '@writ/identity';

/** Nobody tries passphrases on a key that dies with this process. */
const CHEAP: PassphraseCost = { logN: 14, r: 8, p: 1 };
/** Random bytes of its passphrase. */
const PASSPHRASE_BYTES = 18;

/** Plays the person of a local node: signs answers over the control socket as an approver does. */
export interface LocalPerson {
  /** Says yes, once. Throws the check that failed. */
  approve(node: ControlClient, approval: string): Promise<void>;
  /** Asks for a lease and says yes to it. */
  lend(node: ControlClient, terms: OperationInput<'lease_grant'>): Promise<LeaseView>;
}

/** Makes a key and enrols it as the first approver of `node`. */
export async function enrollPerson(node: ControlClient): Promise<LocalPerson> {
  const random = createSystemRandom();
  const passphrase = Buffer.from(random.bytes(PASSPHRASE_BYTES)).toString('base64url');
  const { id, publicKey, sealed } = await createApproverKey({ passphrase, random, cost: CHEAP });
  const key = await unlockApproverKey(sealed, passphrase);
  await node.call('approver_enroll', { id, public_key: publicKey, label: 'person' });
  const approve: LocalPerson['approve'] = async (at, approval) => {
    const { statement } = await at.call('approval_statement', { approval, answer: 'approve', scope: 'once' });
    const { scope = 'once', ...said } = statement;
    const { decided, code, message } = await at.call('approval_decide', {
      statement,
      proof: key.sign({ ...said, scope }),
    });
    if (!decided) throw new WritError('NOT_APPROVER', `the answer was not taken: ${code}: ${message}`);
  };
  return {
    approve,
    async lend(at, terms) {
      const { approval } = await at.call('approval_ask', { about: { kind: 'lease_grant', ...terms } });
      await approve(at, approval.id);
      return (await at.call('lease_show', { lease: approval.id })).lease;
    },
  };
}
