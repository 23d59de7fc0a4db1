import { createSystemRandom, WritError } from '@writ/core';
import type { ControlClient, LeaseView, OperationInput } from '@writ/gateway/client';
import { createApproverKey, type PassphraseCost, unlockApproverKey } from '@writ/identity';

/** Nobody tries passphrases on a key that dies with this process. */
const CHEAP: PassphraseCost = { logN: 14, r: 8, p: 1 };
/** Random bytes of its passphrase. */
const PASSPHRASE_BYTES = 18;

/** Plays the person of a local node: signs answers over the control socket as an approver does. */
export interface LocalPerson {
  /** Says yes, once. Throws NOT_APPROVER with the check that failed. */
  approve(approval: string): Promise<void>;
  /** Asks for a lease and says yes to it. */
  lend(terms: OperationInput<'lease_grant'>): Promise<LeaseView>;
  /** Loads the configuration file, and says yes to what it gives beyond what was accepted. */
  acceptPolicy(): Promise<void>;
}

/** Makes a key that stays in this process and enrols it as the first approver of a node. */
export async function enrollPerson(node: () => ControlClient): Promise<LocalPerson> {
  const random = createSystemRandom();
  const passphrase = Buffer.from(random.bytes(PASSPHRASE_BYTES)).toString('base64url');
  const { id, publicKey, sealed } = await createApproverKey({ passphrase, random, cost: CHEAP });
  const key = await unlockApproverKey(sealed, passphrase);
  await node().call('approver_enroll', { id, public_key: publicKey, label: 'person' });
  const approve: LocalPerson['approve'] = async (approval) => {
    const { statement } = await node().call('approval_statement', { approval, answer: 'approve', scope: 'once' });
    const { scope = 'once', ...said } = statement;
    const proof = key.sign({ ...said, scope });
    const { decided, code, message } = await node().call('approval_decide', { statement, proof });
    if (!decided) throw new WritError('NOT_APPROVER', `the answer was not taken: ${code}: ${message}`);
  };
  const askAndApprove = async (about: OperationInput<'approval_ask'>['about']): Promise<string> => {
    const { approval } = await node().call('approval_ask', { about });
    await approve(approval.id);
    return approval.id;
  };
  return {
    approve,
    async lend(terms) {
      const lease = await askAndApprove({ kind: 'lease_grant', ...terms });
      return (await node().call('lease_show', { lease })).lease;
    },
    async acceptPolicy() {
      const { parked } = await node().call('policy_reload', {});
      if (parked.length === 0) return;
      await askAndApprove({ kind: 'policy' });
      // Takes its turn behind what the yes has started.
      await node().call('policy_reload', {});
    },
  };
}
