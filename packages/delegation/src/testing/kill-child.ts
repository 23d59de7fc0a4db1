import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createFakeClock } from '@writ/testkit/clock';
import { createScriptedRunner, createTestNode, type ScriptedRunner, type TestNode } from '@writ/testkit/delegation';
import { withSteps } from '@writ/testkit/steps';
import { QUESTIONS_POLICY } from './question-races.ts';

/** Work of one process: tasks that wait and tasks that ask, over and over, until it is killed inside step `killAt`. */
export interface KillPlan {
  /** Folder of the node. */
  readonly dir: string;
  /** One line for each acknowledged state of a task. */
  readonly witness: string;
  readonly killAt: number;
}

/** When the clock of every process stands, milliseconds since the epoch. */
export const KILL_CLOCK_MS = Date.UTC(2026, 0, 1);

/** Never returns normally: the process kills itself with SIGKILL. */
export async function workUntilKilled({ dir, witness, killAt }: KillPlan): Promise<void> {
  let step = 0;
  const clock = createFakeClock(KILL_CLOCK_MS);
  const runner = createScriptedRunner({ clock });
  // Identities of tests are made anew by each process; the database keeps none.
  rmSync(join(dir, 'identity'), { recursive: true, force: true });
  const node = await createTestNode({
    ...{ clock, runner, policy: QUESTIONS_POLICY, enrol: true, dir },
    wrapDatabase: (real) =>
      withSteps(real, () => {
        step += 1;
        if (step === killAt) process.kill(process.pid, 'SIGKILL');
      }),
  });
  const saw = (task: string): void =>
    appendFileSync(witness, `${task} ${node.executor.get(task)?.state ?? 'missing'}\n`);
  await node.executor.recover();
  // What earlier processes left waiting would be too much to ask for more one day.
  for (const { id, state } of node.executor.list({ limit: 99 })) {
    if (state === 'waiting') await node.executor.cancel(id, 'self');
  }
  for (let round = 0; ; round++) {
    await waitOnce(node, runner, { task: `${process.pid}-w${round}`, round, saw });
    await askOnce(node, runner, { task: `${process.pid}-a${round}`, round, saw });
  }
}

interface Turn {
  readonly task: string;
  readonly round: number;
  readonly saw: (task: string) => void;
}

async function submit({ executor }: TestNode, task: string, profile: string): Promise<void> {
  const answer = await executor.submit({
    ...{
      task,
      idempotencyKey: task,
      agent: 'tester',
      subject: { from: 'self', origin: 'self', session: `of ${task}` },
    },
    spec: { input: { kind: 'argv', argv: ['true'] }, profile },
  });
  if (!answer.accepted) throw new Error(`${answer.decision.code}: ${answer.decision.message}`);
}

async function untilEnded({ executor }: TestNode, task: string): Promise<void> {
  for await (const { event } of executor.watch(task, 0, new AbortController().signal)) void event;
}

/** A task that waits, and a yes, a no, a cancel or the end of its session. */
async function waitOnce(node: TestNode, runner: ScriptedRunner, { task, round, saw }: Turn): Promise<void> {
  await submit(node, task, 'asked');
  saw(task);
  const approval = node.executor.waitsFor(task)?.approval ?? '';
  const ways = [
    () => node.person.answer(approval, 'approve'),
    () => node.person.answer(approval, 'deny'),
    () => node.executor.cancel(task, 'self'),
    () =>
      node.person.gate.endSession({ origin: node.identity.public.id, session: `of ${task}` }, 'self', [
        node.identity.public.id,
      ]),
  ] as const;
  await ways[round % ways.length]?.();
  if (round % ways.length === 0) {
    const run = await runner.runOf(task);
    saw(task);
    run.exit(0);
  }
  await untilEnded(node, task);
  saw(task);
}

/** A task that runs and asks, and a reply, a cancel or its exit. */
async function askOnce(node: TestNode, runner: ScriptedRunner, { task, round, saw }: Turn): Promise<void> {
  node.authority.grantLease({ peer: 'self', profile: 'talk', durationMs: 3_600_000, issuedBy: 'p', maxUses: 1 });
  await submit(node, task, 'talk');
  const run = await runner.runOf(task);
  const { turns } = node.executor;
  const heard = turns
    .ask(task, { questions: [{ kind: 'input', text: 'which?' }] }, new AbortController().signal)
    .catch(() => undefined);
  saw(task);
  if (round % 3 === 0) {
    turns.reply(task, { question: '1.1', key: 'k', content: { kind: 'input', text: 'main' } }, 'self');
  }
  if (round % 3 === 1) await node.executor.cancel(task, 'self');
  else run.exit(0);
  await untilEnded(node, task);
  await heard;
  saw(task);
}
