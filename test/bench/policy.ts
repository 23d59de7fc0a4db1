import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { measureDeniedCalls } from './denied-calls.ts';
import { interleave } from './interleave.ts';
import { measureNodeReloads, type NodeReload } from './node-reload.ts';
import { casbinSubject, cedarSubject, engineSubjects, type PolicySubject } from './policy-subjects.ts';
import { summarize } from './statistics.ts';
import type { Subject } from './subject.ts';

const PEERS = 100;
const MANY = 10_000;
const FEW = 10;
const RELOADS = 9;

interface PolicyRatio {
  readonly name: string;
  readonly value: number;
  readonly goal: string;
  readonly met: boolean;
}

/**
 * Goal 4: deciding against its own minimum and against two other engines, on the same question, in turn; calls that are
 * denied; reloads. `folder` is where two nodes may live meanwhile.
 */
export async function benchPolicy(
  rounds: number,
  folder: string,
): Promise<{ readonly lines: readonly string[]; readonly report: object }> {
  const below = (name: string): string => {
    mkdirSync(join(folder, name), { mode: 0o700 });
    return join(folder, name);
  };
  // First, while this process has nothing to collect that a call would wait for.
  const { reloads, quiet } = await measureNodeReloads(below('r'), MANY, RELOADS);
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
  const calls = await measureDeniedCalls(below('d'), rounds);
  const rate = (name: string): number => calls.find((call) => call.name === name)?.perSecond ?? Number.NaN;
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
    least('denied call / no-op', rate('denied call') / rate('no-op'), 0.95),
    least('denied question / no-op', rate('denied question') / rate('no-op'), 0.95),
    most('stall of a reload, ms', longest(reloads, 'waitMs'), 10),
  ];
  const lines = [
    ...subjects.map(({ name, does }) => `${name.padEnd(14)} ${us(name).toFixed(2).padStart(9)} µs  ${does}`),
    ...calls.map(
      ({ name, does, perSecond, nodeMs }) =>
        `${name.padEnd(15)} ${perSecond.toFixed(0).padStart(8)} /s  ${nodeMs.toFixed(3)} ms of the node's processor time; ${does}`,
    ),
    ...reloadLines(reloads, quiet),
    '',
    ...ratios.map(
      ({ name, value, goal, met }) =>
        `${name.padEnd(24)} ${value.toFixed(2).padStart(9)}  goal ${goal}  ${met ? 'met' : 'NOT MET'}`,
    ),
  ];
  const microseconds = Object.fromEntries(perCall);
  return { lines, report: { goal: 4, rounds, microseconds, calls, reloads, quiet, ratios } };
}

function reloadLines(reloads: readonly NodeReload[], quiet: readonly NodeReload[]): readonly string[] {
  const line = (name: string, all: readonly NodeReload[]): string => {
    const [wait, own, computed, took] = (['waitMs', 'ownMs', 'computedMs', 'tookMs'] as const).map((what) =>
      longest(all, what).toFixed(1),
    );
    return `${name.padEnd(15)} ${wait} ms longest call, ${own} ms without waiting for a processor, ${computed} ms computed in it; at most of ${RELOADS}, of ${took} ms`;
  };
  return [line('reload', reloads), line('no reload', quiet)];
}

function longest(reloads: readonly NodeReload[], what: keyof NodeReload): number {
  return Math.max(...reloads.map((reload) => reload[what]));
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
