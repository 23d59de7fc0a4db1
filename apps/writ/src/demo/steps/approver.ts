import { readFileSync } from 'node:fs';
import type { OperationInput } from '@writ/gateway/client';
import { createControlClient } from '@writ/gateway/client';
import type { LocalNode } from '../../local-mesh/local-node.ts';
import { createLocalPerson } from '../../local-mesh/local-person.ts';
import type { Stage, Step } from '../types.ts';

const LEASE: OperationInput<'lease_grant'> = { peer: 'alpha', profile: 'repo-dev', duration: '1h' };

const leasesOf = async (node: LocalNode): Promise<number> => (await node.client().call('lease_list', {})).leases.length;

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'OK';
  } catch (error) {
    return (error as { code?: string }).code ?? 'none';
  }
}

export const hostAlone: Step = {
  name: 'somebody at beta has its host token alone: lends, widens, and enrols a key of their own',
  expected: 'lease NOT_APPROVER, policy NOT_APPROVER, key NOT_APPROVER; nothing more is lent',
  async run({ beta }) {
    const before = await leasesOf(beta);
    const thief = await createLocalPerson(() => beta.client(), 'thief');
    const lease = await codeOf(beta.client().call('lease_grant', LEASE));
    const policy = await codeOf(beta.client().call('policy_reload', { accept: true }));
    const key = await codeOf(beta.client().call('approver_enroll', thief.enrolled));
    const lent = (await leasesOf(beta)) === before ? 'nothing more is lent' : 'more is lent';
    return `lease ${lease}, policy ${policy}, key ${key}; ${lent}`;
  },
};

export const twoPersons: Step = {
  name: 'two persons of beta answer one question at the same moment, one yes and one no',
  expected: 'one answer is taken, the other is NOT_PENDING and hears who was faster',
  async run({ beta, show }) {
    const second = await createLocalPerson(() => beta.client(), 'second');
    const { approval: enrolling } = await beta
      .client()
      .call('approval_ask', { about: { kind: 'approver_enroll', ...second.enrolled } });
    await beta.person().approve(enrolling.id);
    const { approval } = await beta.client().call('approval_ask', { about: { kind: 'lease_grant', ...LEASE } });
    for (const line of approval.preview.split('\n')) show(line);
    const answers = await Promise.all([
      beta.person().answer(approval.id, 'approve'),
      second.answer(approval.id, 'deny'),
    ]);
    const taken = answers.filter(({ decided }) => decided);
    const [late] = answers.filter(({ decided }) => !decided);
    const isTold = late?.decided_by === taken[0]?.approval?.decided_by;
    if (taken[0]?.approval?.state === 'approved') await beta.client().call('lease_revoke', { lease: approval.id });
    const count = taken.length === 1 ? 'one answer is taken' : `${taken.length} answers are taken`;
    return `${count}, the other is ${late?.code} and hears ${isTold ? 'who was faster' : 'nothing'}`;
  },
};

/** An agent of beta, in a session of its own, asks to be lent something. */
async function askInSession({ beta }: Stage): Promise<{ readonly approval: string; end(): Promise<unknown> }> {
  const { credential } = await beta.client().call('session_start', { agent: 'fixer' });
  const token = readFileSync(beta.home.tokenFile, 'utf8').trim();
  const agent = createControlClient({ socketPath: beta.home.socketFile, token, session: credential });
  const { approval = '' } = await agent.call('request_lease', {
    profile: 'repo-dev',
    duration: '1h',
    reason: 'to mend it',
  });
  return { approval, end: () => agent.call('session_end', {}) };
}

export const sessionGone: Step = {
  name: 'an agent of beta asks for a lease, and its session ends while the person answers: yes, and no',
  expected: 'yes NOT_FOUND, no NOT_FOUND; nothing more is lent',
  async run(stage) {
    const before = await leasesOf(stage.beta);
    const codes: string[] = [];
    for (const said of ['approve', 'deny'] as const) {
      const { approval, end } = await askInSession(stage);
      await end();
      codes.push((await stage.beta.person().answer(approval, said)).code ?? 'OK');
    }
    const lent = (await leasesOf(stage.beta)) === before ? 'nothing more is lent' : 'more is lent';
    return `yes ${codes[0]}, no ${codes[1]}; ${lent}`;
  },
};
