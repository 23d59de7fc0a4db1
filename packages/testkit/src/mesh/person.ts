import { createSystemRandom } from '@writ/core';
import type { OperationInput, OperationOutput } from '@writ/gateway/client';
import { createApproverKey, unlockApproverKey } from '@writ/identity';
import type { MeshNode } from './mesh-node.ts';

type Outcome = OperationOutput<'approval_decide'>;
type Scope = 'once' | 'session' | 'target';
type About = OperationInput<'approval_ask'>['about'];

/** An approver of a node whose key lives in the test, and who answers through the control socket. */
export interface TestPerson {
  readonly id: string;
  /** What `approver_enroll` and a question about a further one take. */
  readonly enrolled: { readonly id: string; readonly public_key: string; readonly label: string };
  /** Asks in the name of the person at the node; the id of the question. */
  ask(about: About): Promise<string>;
  answer(approval: string, answer: 'approve' | 'deny', scope?: Scope): Promise<Outcome>;
  /** What `answer` would send. */
  signed(approval: string, answer: 'approve' | 'deny', scope?: Scope): Promise<OperationInput<'approval_decide'>>;
}

/** Makes a key at the least cost; nobody is enrolled. */
export async function createPerson(node: MeshNode, label = 'person'): Promise<TestPerson> {
  const passphrase = 'a passphrase of the test';
  const made = await createApproverKey({ passphrase, random: createSystemRandom(), cost: { logN: 14, r: 8, p: 1 } });
  const key = await unlockApproverKey(made.sealed, passphrase);
  const signed: TestPerson['signed'] = async (approval, answer, scope) => {
    const said = answer === 'approve' ? { answer, scope: scope ?? ('once' as const) } : { answer };
    const { statement } = await node.client().call('approval_statement', { approval, ...said });
    const { scope: given, ...rest } = statement;
    return { statement, proof: key.sign(given === undefined ? rest : { ...rest, scope: given }) };
  };
  return {
    id: made.id,
    enrolled: { id: made.id, public_key: made.publicKey, label },
    ask: async (about) => (await node.client().call('approval_ask', { about })).approval.id,
    answer: async (approval, answer, scope) =>
      node.client().call('approval_decide', await signed(approval, answer, scope)),
    signed,
  };
}

/** Makes one and enrols it as the first of `node`. */
export async function enrollPerson(node: MeshNode, label?: string): Promise<TestPerson> {
  const person = await createPerson(node, label);
  await node.client().call('approver_enroll', person.enrolled);
  return person;
}
