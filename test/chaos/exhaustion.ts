import { follow, furnishMesh, type MeshNode, processesWith, run, submit } from '@writ/testkit/mesh';
import { addGreedyNode, greedyWish, startGreedyNode } from './greedy-node.ts';

/** What came of tasks that use up what the machine has. */
export interface ExhaustionFigures {
  /** Of each kind. */
  readonly count: number;
  /** How the tasks ended, each way with how often. */
  readonly endings: Readonly<Record<string, number>>;
  /** What did not hold. */
  readonly violations: readonly string[];
}

/** Marks the command lines of what a storm leaves. */
const SLEEP_SECONDS = '86399';
/** Children without end; a shell that cannot make one more says so and ends. */
const STORM = `while :; do sleep ${SLEEP_SECONDS} & done`;

/**
 * So many tasks that fork without end, one after the other at one node; the limits are those of this process. After each,
 * another task has to work as if nothing had been.
 */
export async function storm(count: number): Promise<ExhaustionFigures> {
  const violations: string[] = [];
  const endings: Record<string, number> = {};
  const { mesh, solo } = await furnishMesh(async (made) => {
    const node = await addGreedyNode(made);
    await startGreedyNode(node);
    return { mesh: made, solo: node };
  });
  const pid = solo.pid();
  try {
    for (let round = 0; round < count; round++) {
      const task = await submit(solo, greedyWish(STORM));
      const { outcome, output } = await follow(solo, task);
      const { state, code = '', message } = outcome;
      const { changes } = await solo.client().call('result', { task, limit: 0 });
      const ending = `${state} ${code}: ${message}; changes: ${changes.kind}`;
      endings[ending] = (endings[ending] ?? 0) + 1;
      const said = output.toString('utf8');
      if (state !== 'failed' || !/fork|Resource temporarily unavailable/i.test(said + message))
        violations.push(`${ending}: ${said.slice(-200)}`);
      violations.push(...(await aftermath(solo, pid)));
    }
  } catch (error) {
    violations.push(String(error));
  }
  await mesh.close().catch((error: unknown) => violations.push(String(error)));
  return { count, endings, violations };
}

/** What is wrong behind a task that is over. */
async function aftermath(node: MeshNode, pid: number | undefined): Promise<readonly string[]> {
  const left = processesWith(SLEEP_SECONDS).length;
  const next = await run(node, greedyWish('true'));
  return [
    ...(left > 0 ? [`${left} processes are left`] : []),
    ...(node.pid() === pid ? [] : ['the node is another one']),
    ...(next.outcome.state === 'completed' ? [] : [`the next task: ${next.outcome.message}`]),
  ];
}
