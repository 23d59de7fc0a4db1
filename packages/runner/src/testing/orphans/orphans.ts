import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSystemClock } from '@writ/core';
import { createProcessTable, type ProcessTable } from '../../process-tree/process-table.ts';
import { bundle } from '../bundle.ts';
import { createHarness, type Harness } from '../harness.ts';
import { processes } from '../processes.ts';
import { fleeing } from './payload.ts';

/** What ends a run: by itself, a cancel, or `kill -9` of its node, of the node's spawner, or of both at once. */
export type Way = 'exit' | 'cancel' | 'node' | 'spawner' | 'both';

/** What came of the rounds. */
export interface OrphanFigures {
  readonly rounds: number;
  /** Rounds of each way, with and without a sandbox. */
  readonly ways: Readonly<Record<string, number>>;
  /** Processes that were there before the end. */
  readonly processes: number;
  /** Rounds after which some were left, by their way. */
  readonly left: readonly string[];
  /** Longest from the end of the run, or the kill, until none was there, milliseconds. */
  readonly slowestMs: number;
}

interface Round {
  readonly way: Way;
  readonly isolation: 'required' | 'none';
}

const CONFINED: readonly Way[] = ['both', 'exit', 'node', 'cancel', 'spawner'];
/** Whoever sheds every mark and has no sandbox is found by its own node alone. */
const FREE: readonly Way[] = ['exit', 'node', 'cancel'];
const ROUNDS: readonly Round[] = [
  ...CONFINED.map((way) => ({ way, isolation: 'required' as const })),
  ...FREE.map((way) => ({ way, isolation: 'none' as const })),
];
/** Until what is left counts as left, milliseconds. */
const PATIENCE_MS = 20_000;

/** Starts runs that flee, ends each one in another way, and looks for what is left of them. */
export async function chaseOrphans(count: number): Promise<OrphanFigures> {
  const harness = await createHarness({ graceMs: 50 });
  const clock = createSystemClock();
  const host = await bundle(new URL('../host.ts', import.meta.url), harness.folder);
  const figures = { ways: {} as Record<string, number>, processes: 0, left: [] as string[], slowestMs: 0 };
  try {
    for (let at = 0; at < count; at += 1) {
      const round = ROUNDS[at % ROUNDS.length] as Round;
      const name = `${round.way}, ${round.isolation === 'required' ? 'in a sandbox' : 'in none'}`;
      const { id, before, rest } = await endOne(round, harness, host);
      const endedMs = clock.monotonicMs();
      while (fleers(id).length > 0 && clock.monotonicMs() - endedMs < PATIENCE_MS) await yieldOnce();
      figures.slowestMs = Math.max(figures.slowestMs, Math.round(clock.monotonicMs() - endedMs));
      if (fleers(id).length > 0) figures.left.push(name);
      figures.processes += before;
      figures.ways[name] = (figures.ways[name] ?? 0) + 1;
      await rest();
    }
  } finally {
    await harness.close();
  }
  return { rounds: count, ...figures };
}

interface Ended {
  readonly id: string;
  /** Processes that there were. */
  readonly before: number;
  /** Ends what is no part of the run. */
  readonly rest: () => Promise<void>;
}

async function endOne({ way, isolation }: Round, harness: Harness, host: string): Promise<Ended> {
  const spec = harness.spec([], { isolation });
  const id = spec.nonce;
  const argv = ['sh', '-c', fleeing(id, isolation === 'required')];
  if (way === 'exit' || way === 'cancel') {
    const run = await harness.start({ ...spec, input: { kind: 'argv', argv } });
    await run.until('up');
    const before = await someFleers(id);
    if (way === 'exit') writeFileSync(join(run.files.dir, 'go'), '');
    else run.stop({ kind: 'cancel', cause: 'enough' });
    await run.done;
    return { id, before, rest: async () => run.release() };
  }
  const words = [host, join(harness.folder, 'host'), harness.spawnerScript, id, isolation, ...argv];
  const node = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(node.stdout, 'data');
  const table = createProcessTable();
  const spawner = processes(table).find(({ parent }) => parent === node.pid)?.pid ?? 0;
  const before = await someFleers(id, node.pid);
  if (way !== 'node') process.kill(spawner, 'SIGKILL');
  if (way !== 'spawner') await kill(node);
  else while (fleers(id, node.pid).length > 0) await yieldOnce();
  return { id, before, rest: () => kill(node) };
}

async function kill(node: ChildProcess): Promise<void> {
  if (node.exitCode !== null || node.signalCode !== null) return;
  const gone = once(node, 'exit');
  node.kill('SIGKILL');
  await gone;
}

/** Waits until the children are on their way: the script and two of them. */
async function someFleers(id: string, besides?: number): Promise<number> {
  for (;;) {
    const found = fleers(id, besides).length;
    if (found > 2) return found;
    await yieldOnce();
  }
}

/** Pids of processes that have `id` in their argument vector, the one that started them apart. */
function fleers(id: string, besides?: number): readonly number[] {
  const table: ProcessTable = createProcessTable();
  return processes(table)
    .filter(({ pid, zombie }) => !zombie && pid !== besides && pid !== process.pid && wordsOf(pid).includes(id))
    .map(({ pid }) => pid);
}

function wordsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

function yieldOnce(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
