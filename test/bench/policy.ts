import { interleave } from './interleave.ts';
import {
  casbinSubject,
  cedarSubject,
  engineSubjects,
  type PolicySubject,
  policyEngine,
  policyText,
} from './policy-subjects.ts';
import { summarize } from './statistics.ts';
import type { Subject } from './subject.ts';

const PEERS = 100;
const MANY = 10_000;
const FEW = 10;

interface PolicyRatio {
  readonly name: string;
  readonly value: number;
  readonly goal: string;
  readonly met: boolean;
}

/** Goal 4: deciding against its own minimum and against two other engines, on the same question, in turn. */
export async function benchPolicy(
  rounds: number,
): Promise<{ readonly lines: readonly string[]; readonly report: object }> {
  const subjects = [
    ...engineSubjects(PEERS),
    ...engineSubjects(FEW).slice(0, 1),
    ...engineSubjects(MANY).slice(0, 1),
    await casbinSubject(PEERS),
    cedarSubject(PEERS),
  ];
  const samples = await interleave(subjects.map(timed), { rounds, warmUp: 10, now: processorMs });
  const perCall = new Map(
    subjects.map(({ name, batch }) => [name, (summarize(samples.get(name) ?? []).medianMs * 1000) / batch]),
  );
  const us = (name: string): number => perCall.get(name) ?? Number.NaN;
  const stallMs = await longestStall();
  const decide = us(`decide ${PEERS}`);
  const most = (name: string, value: number, bound: number): PolicyRatio => ({
    name,
    value,
    goal: `≤ ${bound}`,
    met: value <= bound,
  });
  const least = (name: string, value: number, bound: number): PolicyRatio => ({
    name,
    value,
    goal: `≥ ${bound}`,
    met: value >= bound,
  });
  const ratios = [
    most('trace / minimal', decide / us(`minimal ${PEERS}`), 3),
    least('casbin / decide', us('casbin') / decide, 50),
    least('cedar / decide', us('cedar') / decide, 200),
    most('10,000 / 10 peers', us(`decide ${MANY}`) / us(`decide ${FEW}`), Math.log(MANY) / Math.log(FEW)),
    most('stall of a reload, ms', stallMs, 10),
  ];
  const lines = [
    ...subjects.map(({ name, does }) => `${name.padEnd(14)} ${us(name).toFixed(2).padStart(9)} µs  ${does}`),
    '',
    ...ratios.map(
      ({ name, value, goal, met }) =>
        `${name.padEnd(24)} ${value.toFixed(2).padStart(9)}  goal ${goal}  ${met ? 'met' : 'NOT MET'}`,
    ),
  ];
  return { lines, report: { goal: 4, rounds, microseconds: Object.fromEntries(perCall), ratios } };
}

/** Deciding waits for nothing: what it takes is time of the processor, whatever else the machine does meanwhile. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** A subject whose sample is one batch; a wrong answer is no measurement. */
function timed({ name, does, batch, ask }: PolicySubject): Subject {
  const nothing = async (): Promise<void> => undefined;
  return {
    name,
    does,
    setup: nothing,
    teardown: nothing,
    async once() {
      for (let n = 0; n < batch; n++) if (!ask()) throw new Error(`${name} refuses what is allowed`);
    },
  };
}

/** Longest that nothing else ran while 10,000 peers were loaded again, milliseconds. */
async function longestStall(): Promise<number> {
  const engine = policyEngine(MANY);
  const text = `${policyText(MANY)}\n# changed\n`;
  let longest = 0;
  let isOver = false;
  const watch = async (): Promise<void> => {
    let last = performance.now();
    while (!isOver) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }
  };
  const watching = watch();
  const { reloaded } = await engine.reload(text, { acceptWidening: true });
  await new Promise<void>((resolve) => setImmediate(resolve));
  isOver = true;
  await watching;
  if (!reloaded) throw new Error('the configuration of the bench does not load');
  return longest;
}
