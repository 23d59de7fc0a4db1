import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createSystemClock, createSystemRandom } from '@writ/core';
import { type Changes, collectEvidence, createContentStore } from '@writ/evidence';
import type { TaskRunner } from '@writ/runner';
import { naiveEvidence, sameFacts } from './naive-evidence.ts';
import type { Ratio } from './report.ts';
import { benchSpec, createBenchRunner } from './runner-world.ts';
import { type Summary, summarize } from './statistics.ts';

/** Files of the repository that is measured. */
const FILES = 10_000;
const CHANGED = 20;
/** What nobody compares with is not measured by it: bundles and lists are far below these. */
const LARGE = 1024 ** 3;
const LIMITS = {
  ...{ maxEntries: 1_000_000, maxChangedFiles: 50_000, maxFileBytes: LARGE, maxTotalBytes: LARGE },
  ...{ maxPatchBytes: LARGE, maxBundleBytes: LARGE, timeoutMs: 300_000 },
};

interface Bench {
  readonly folder: string;
  readonly source: string;
  readonly runner: TaskRunner;
  readonly samples: Map<string, number[]>;
}

/**
 * Goal 8: a workspace that stands ready against `git worktree add`, giving it back against removing that, evidence against
 * the seven commands that a person would type, each in turn with the other. `spawner` is the built one.
 */
export async function benchWorkspaces(
  rounds: number,
  folder: string,
  spawner: string,
): Promise<{ readonly lines: readonly string[]; readonly report: object }> {
  const source = makeSource(join(folder, 'source'));
  const runner = createBenchRunner({ folder, spawner }, 1);
  const bench: Bench = { folder, source, runner, samples: new Map() };
  try {
    // The first of everything fills caches, and makes the node see that the workspace is used.
    await wholeRound(bench, -1);
    for (const values of bench.samples.values()) values.splice(0);
    for (let round = 0; round < rounds; round++) await wholeRound(bench, round);
    return reportOf(bench, rounds);
  } finally {
    await runner.close();
  }
}

async function wholeRound(bench: Bench, round: number): Promise<void> {
  const steps = [() => worktree(bench), () => prepared(bench, round), () => collected(bench, round)];
  for (const at of steps.keys()) await steps[(at + Math.max(0, round)) % steps.length]?.();
}

async function timed<T>({ samples }: Bench, name: string, work: () => T | Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  samples.set(name, [...(samples.get(name) ?? []), performance.now() - startedAt]);
  return result;
}

async function worktree(bench: Bench): Promise<void> {
  const path = join(bench.folder, 'worktree');
  await timed(bench, 'worktree add', () => git(bench.source, 'worktree', 'add', '--quiet', '--detach', path));
  await timed(bench, 'worktree remove', () => git(bench.source, 'worktree', 'remove', '--force', path));
}

async function prepared(bench: Bench, round: number): Promise<void> {
  const { runner, source } = bench;
  // Nothing stands ready before the first task.
  if (round >= 0) await untilReady(runner);
  const spec = benchSpec(['true'], { workspace: { name: 'app', path: source } });
  const run = await timed(bench, 'workspace ready', () => runner.prepare(spec, new AbortController().signal));
  const { inUse } = await runner.storage.list();
  const dir = inUse[0]?.dir ?? '';
  if (!existsSync(join(dir, 'd0', 'f0'))) throw new Error('the workspace is not checked out');
  await untilReady(runner);
  await timed(bench, 'workspace released', async () => {
    run.discard();
    while (existsSync(dir)) await new Promise((later) => setImmediate(later));
  });
}

async function collected(bench: Bench, round: number): Promise<void> {
  const { folder, source, runner } = bench;
  const [ours, theirs] = [join(folder, 'ours'), join(folder, 'theirs')];
  for (const dir of [ours, theirs]) {
    if (!existsSync(dir)) git(folder, 'clone', '--quiet', '--no-hardlinks', source, dir);
    git(dir, 'reset', '--quiet', '--hard', 'origin/main');
    for (let n = 0; n < CHANGED; n++) writeFileSync(join(dir, `d${n}`, 'f0'), `changed in round ${round}\n`);
    writeFileSync(join(dir, 'new.txt'), `of round ${round}\n`);
  }
  const base = git(source, 'rev-parse', 'HEAD');
  const store = createContentStore({ dir: join(folder, 'content'), random: createSystemRandom() });
  const collect = (): Promise<Changes> =>
    collectEvidence({
      ...{ git: runner.git, openRoom: undefined, gitDirRoot: join(folder, 'git'), path: process.env.PATH ?? '' },
      ...{ platform: process.platform, store, limits: LIMITS },
      ...{ clock: createSystemClock(), random: createSystemRandom(), nodeId: 'wn-bench', task: 'bench' },
      ...{ workspaceDir: ours, base, baseRepository: source },
    });
  const changes = await timed(bench, 'evidence', collect);
  const naive = await timed(bench, 'seven commands', () => naiveEvidence(theirs, base));
  await sameFacts(changes, naive, store);
}

async function untilReady(runner: TaskRunner): Promise<void> {
  while ((await runner.storage.list()).ready.length === 0) await new Promise((later) => setTimeout(later, 5));
}

function reportOf({ samples }: Bench, rounds: number): { readonly lines: readonly string[]; readonly report: object } {
  const summaries = new Map([...samples].map(([name, values]): [string, Summary] => [name, summarize(values)]));
  const median = (name: string): number => summaries.get(name)?.medianMs ?? Number.NaN;
  const ratio = (top: string, bottom: string, atMost: number): Ratio => {
    const value = median(top) / median(bottom);
    return { name: `${top} / ${bottom}`, value, atMost, met: value <= atMost };
  };
  const ratios = [
    ratio('workspace ready', 'worktree add', 0.25),
    ratio('workspace released', 'worktree remove', 0.02),
    ratio('evidence', 'seven commands', 0.5),
  ];
  const lines = [
    ...[...summaries].map(([name, { medianMs, p99Ms }]) => {
      return `${name.padEnd(20)} ${medianMs.toFixed(2).padStart(9)} ms  p99 ${p99Ms.toFixed(2)} ms`;
    }),
    '',
    ...ratios.map(
      ({ name, value, atMost, met }) =>
        `${name.padEnd(38)} ${value.toFixed(3).padStart(8)}  goal ≤ ${atMost}  ${met ? 'met' : 'NOT MET'}`,
    ),
    'same facts: tree, changed files and patch are byte for byte those of the seven commands, in every round',
  ];
  return { lines, report: { goal: 8, rounds, files: FILES, subjects: Object.fromEntries(summaries), ratios } };
}

function makeSource(path: string): string {
  mkdirSync(path);
  git(path, 'init', '--quiet', '--initial-branch=main');
  for (let n = 0; n < FILES; n++) {
    const file = join(path, `d${n % 100}`, `f${Math.floor(n / 100)}`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `file ${n}\n${'line\n'.repeat(20)}`);
  }
  git(path, 'add', '--all');
  git(path, '-c', 'user.name=b', '-c', 'user.email=b@example.org', 'commit', '--quiet', '-m', 'all');
  return path;
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}
