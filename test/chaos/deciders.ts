import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createControlClient, type OperationInput, type OperationOutput } from '@writ/gateway/client';
import { createPerson, createTestMesh, enrollPerson, type MeshNode, type TestPerson } from '@writ/testkit/mesh';

type Answer = OperationInput<'approval_decide'>;
type Outcome = OperationOutput<'approval_decide'>;

/** How many processes answer one question, and how many answers each sends at once. */
export interface Crowd {
  readonly rounds: number;
  readonly processes: number;
  readonly each: number;
  /** The bundle of `main.ts`, which is what a process of the crowd runs. */
  readonly program: string;
}

/** What became of the questions. */
export interface DeciderFigures {
  readonly rounds: number;
  readonly answers: number;
  readonly approved: number;
  readonly denied: number;
  readonly withdrawn: number;
  /** What must not be; empty. */
  readonly violations: readonly string[];
}

/** What a process of the crowd is told: answers to send all at once. */
interface Go {
  readonly answers: readonly Answer[];
}

/** Every fourth question is taken back by whoever asked it, at the same time. */
const TAKEN_BACK = 4;

/**
 * One node, two approvers, and many processes that answer each question all at once, one half with yes and the other with no.
 */
export async function manyDeciders({ rounds, processes, each, program }: Crowd): Promise<DeciderFigures> {
  const mesh = createTestMesh();
  const crowd: ChildProcess[] = [];
  try {
    const node = await mesh.add('held');
    const alice = await enrollPerson(node, 'alice');
    const bob = await createPerson(node, 'bob');
    const { id, label, public_key } = bob.enrolled;
    await alice.answer(await alice.ask({ kind: 'approver_enroll', id, label, public_key }), 'approve');
    for (let n = 0; n < processes; n++) crowd.push(fork(program, ['decider', node.home]));
    await Promise.all(crowd.map((child) => once(child, 'message')));
    const figures = { rounds, answers: rounds * processes * each, approved: 0, denied: 0, withdrawn: 0 };
    const violations: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const ended = await oneQuestion({ node, alice, bob, crowd, each, isTakenBack: round % TAKEN_BACK === 3 });
      figures[ended.state] += 1;
      violations.push(...ended.violations.map((what) => `round ${round}: ${what}`));
    }
    return { ...figures, violations };
  } finally {
    for (const child of crowd) child.disconnect();
    await Promise.all(crowd.map((child) => child.exitCode ?? once(child, 'exit')));
    await mesh.close();
  }
}

async function oneQuestion(at: {
  readonly node: MeshNode;
  readonly alice: TestPerson;
  readonly bob: TestPerson;
  readonly crowd: readonly ChildProcess[];
  readonly each: number;
  readonly isTakenBack: boolean;
}): Promise<{
  readonly state: 'approved' | 'denied' | 'withdrawn';
  readonly violations: readonly string[];
}> {
  const { node, alice, bob, crowd, each } = at;
  const client = node.client();
  const about = { kind: 'lease_grant', peer: 'self', profile: 'repo-dev', duration: '1h' } as const;
  const { approval: asked, ticket } = await client.call('approval_ask', { about });
  const { id } = asked;
  const said = [await alice.signed(id, 'approve', 'once'), await bob.signed(id, 'deny')];
  const coming = crowd.map((child) => once(child, 'message'));
  const taking = at.isTakenBack
    ? client.call('approval_withdraw', { approval: id, ticket }).then(wasWithdrawn, () => false)
    : Promise.resolve(false);
  for (const [first, child] of crowd.entries()) {
    // One process says yes first, the next one no.
    const answers = Array.from({ length: each }, (_, n) => said[(first + n) % 2]).filter((one) => one !== undefined);
    child.send({ answers } satisfies Go);
  }
  const withdrawn = await taking;
  const outcomes = (await Promise.all(coming)).flatMap(([heard]) => heard as readonly Outcome[]);
  const { approval } = await client.call('approval_show', { approval: id });
  const { leases } = await client.call('lease_list', {});
  for (const { id: lease } of leases) await client.call('lease_revoke', { lease });
  const violations = complaints({
    outcomes,
    approval,
    leases: leases.length,
    withdrawn,
    expected: crowd.length * each,
  });
  const state = approval.state === 'approved' || approval.state === 'denied' ? approval.state : 'withdrawn';
  return { state, violations };
}

const wasWithdrawn = ({ withdrawn }: OperationOutput<'approval_withdraw'>): boolean => withdrawn;

function complaints(of: {
  readonly outcomes: readonly Outcome[];
  readonly approval: OperationOutput<'approval_show'>['approval'];
  readonly leases: number;
  readonly withdrawn: boolean;
  readonly expected: number;
}): readonly string[] {
  const { outcomes, approval, leases, withdrawn, expected } = of;
  const winners = outcomes.filter(({ decided }) => decided);
  const won = winners.length + (withdrawn ? 1 : 0);
  const by = withdrawn ? 'node' : winners[0]?.approval?.decided_by;
  const told = outcomes.filter((one) => !one.decided && one.check === 'pending' && one.decided_by === by);
  const lent = approval.state === 'approved' ? 1 : 0;
  return [
    ...(outcomes.length === expected ? [] : [`${outcomes.length} of ${expected} were answered`]),
    ...(won === 1 ? [] : [`${won} won`]),
    ...(told.length === outcomes.length - winners.length ? [] : ['somebody was not told who was faster']),
    ...(winners[0] === undefined || winners[0].approval?.state === approval.state ? [] : ['it is not what was said']),
    ...(leases === lent ? [] : [`${leases} leases of an answer that is ${approval.state}`]),
  ];
}

/** One process of the crowd: sends what it is told to, all at once, and reports what it heard, until it is let go. */
export async function runDecider(home: string): Promise<void> {
  const token = readFileSync(join(home, 'run', 'host-token'), 'utf8').trim();
  const socketPath = join(home, 'run', 'control.sock');
  process.on('message', ({ answers }: Go) => {
    const all = answers.map((answer) => createControlClient({ socketPath, token }).call('approval_decide', answer));
    void Promise.all(all).then((heard) => process.send?.(heard));
  });
  process.send?.('ready');
  await once(process, 'disconnect');
}
