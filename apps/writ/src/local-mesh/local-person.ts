import { createSystemRandom, WritError } from '@writ/core';
import type { ControlClient, LeaseView, OperationInput, OperationOutput } from '@writ/gateway/client';
import { createApproverKey, type PassphraseCost, unlockApproverKey } from '@writ/identity';

/** Nobody tries passphrases on a key that dies with this process. */
const CHEAP: PassphraseCost = { logN: 14, r: 8, p: 1 };
/** Random bytes of its passphrase. */
const PASSPHRASE_BYTES = 18;

/** What came of an answer. */
type Outcome = OperationOutput<'approval_decide'>;

/** Plays a person of a local node: signs answers over the control socket as an approver does. */
export interface LocalPerson {
  /** What enrols it. */
  readonly enrolled: OperationInput<'approver_enroll'>;
  /** Answers; a yes is for once. What came of it is a value. */
  answer(approval: string, answer: 'approve' | 'deny'): Promise<Outcome>;
  /** Says yes, once. Throws NOT_APPROVER with the check that failed. */
  approve(approval: string): Promise<void>;
  /** Asks for a lease and says yes to it. */
  lend(terms: OperationInput<'lease_grant'>): Promise<LeaseView>;
  /** Loads the configuration file, and says yes to what it gives beyond what was accepted. */
  acceptPolicy(): Promise<void>;
}

/** Makes a key that stays in this process; nobody is enrolled yet. */
export async function createLocalPerson(node: () => ControlClient, label: string): Promise<LocalPerson> {
  const random = createSystemRandom();
  const passphrase = Buffer.from(random.bytes(PASSPHRASE_BYTES)).toString('base64url');
  const { id, publicKey, sealed } = await createApproverKey({ passphrase, random, cost: CHEAP });
  const key = await unlockApproverKey(sealed, passphrase);
  const answer: LocalPerson['answer'] = async (approval, said) => {
    const scope = said === 'approve' ? ({ scope: 'once' } as const) : {};
    const { statement } = await node().call('approval_statement', { approval, answer: said, ...scope });
    const { scope: _, ...rest } = statement;
    return node().call('approval_decide', { statement, proof: key.sign({ ...rest, ...scope }) });
  };
  const approve: LocalPerson['approve'] = async (approval) => {
    const { decided, code, message } = await answer(approval, 'approve');
    if (!decided) throw new WritError('NOT_APPROVER', `the answer was not taken: ${code}: ${message}`);
  };
  const askAndApprove = async (about: OperationInput<'approval_ask'>['about']): Promise<string> => {
    const { approval } = await node().call('approval_ask', { about });
    await approve(approval.id);
    return approval.id;
  };
  return {
    enrolled: { id, public_key: publicKey, label },
    answer,
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
