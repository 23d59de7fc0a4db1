import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom, sha256Hex, silentLogger } from '@writ/core';
import { findMembers } from '../process-tree/members.ts';
import { createProcessTable } from '../process-tree/process-table.ts';
import { createTaskRunner } from '../task-runner.ts';
import type { Run, RunReport, RunSink, RunSpec, TaskRunner, TaskRunnerOptions } from '../types.ts';
import { bundle } from './bundle.ts';

/** What a finished run reported and wrote. */
export interface Finished {
  readonly report: RunReport;
  readonly stdout: string;
  readonly stderr: string;
}

/** A task runner over real processes in a throw-away folder. */
export interface Harness {
  readonly folder: string;
  readonly runner: TaskRunner;
  readonly spawnerScript: string;
  /** A spec for an argv with a new task and nonce. */
  spec(argv: readonly string[], over?: Partial<RunSpec>): RunSpec;
  run(argv: readonly string[], over?: Partial<RunSpec>): Promise<Finished>;
  /** Prepares and starts. */
  launch(spec: RunSpec, sink: RunSink): Promise<Run>;
  /** Starts without waiting; `until` resolves when stdout holds the text. */
  start(spec: RunSpec): Promise<Run & { until(text: string): Promise<string> }>;
  /** Pids of live processes that belong to a nonce. */
  alive(nonce: string): readonly number[];
  /** Pids of live processes of the node's own calls of git. */
  aliveGit(): readonly number[];
  /** Names left in the workspaces folder, the node's own git configuration and empty folders apart. */
  leftovers(): Promise<readonly string[]>;
  close(): Promise<void>;
}

const random = createSystemRandom();
/** What is done is not kept, the rest for a day. */
const RULES = { failedMs: 86_400_000, orphanedMs: 86_400_000, budgetBytes: 1024 ** 3 };

export async function createHarness(over: Partial<TaskRunnerOptions> = {}): Promise<Harness> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'writ-runner-')));
  const spawnerScript = await bundle(new URL('../spawner/main.ts', import.meta.url), folder);
  const root = {
    workspaces: join(folder, 'workspaces'),
    transcripts: join(folder, 'transcripts'),
    outputs: join(folder, 'outputs'),
    sockets: join(folder, 'n'),
    secrets: join(folder, 'secrets'),
  };
  const runner = createTaskRunner({
    root,
    spawner: { node: process.execPath, script: spawnerScript },
    programs: [],
    resolvePath: (path) => path,
    hidden: [join(folder, 'keys'), ...Object.values(root)],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' },
    clock: createSystemClock(),
    random,
    logger: silentLogger,
    storage: { rules: () => RULES, isTimeBelieved: () => true, ready: () => 0 },
    transcriptCapBytes: 1024 * 1024,
    graceMs: 300,
    ...over,
  });
  const noncePrefix = `git-${sha256Hex(join(root.workspaces, 'stdin')).slice(0, 16)}-`;
  const launch: Harness['launch'] = async (wanted, sink) => {
    const prepared = await runner.prepare(wanted, new AbortController().signal);
    return prepared.start(wanted, sink);
  };
  const spec = (argv: readonly string[], more: Partial<RunSpec> = {}): RunSpec => specFor(argv, more);
  return {
    folder,
    runner,
    spawnerScript,
    spec,
    launch,
    async run(argv, more) {
      const sink = createTextSink();
      const run = await launch(spec(argv, more), sink);
      const report = await run.done;
      run.release();
      return { report, stdout: sink.text('stdout'), stderr: sink.text('stderr') };
    },
    async start(wanted) {
      const sink = createTextSink();
      const run = await launch(wanted, sink);
      return { ...run, until: sink.until };
    },
    alive: (nonce) => findMembers({ nonces: [nonce] }, createProcessTable()).map((entry) => entry.pid),
    aliveGit: () => findMembers({ nonces: [], noncePrefix }, createProcessTable()).map((entry) => entry.pid),
    async leftovers() {
      const own = ['gitconfig', 'pipes', 'stdin'];
      const names = await readdir(root.workspaces);
      const inside = await Promise.all(
        names
          .filter((name) => name === 'pipes' || name === 'stdin')
          .map(async (folder) => (await readdir(join(root.workspaces, folder))).map((name) => `${folder}/${name}`)),
      );
      return [...names.filter((name) => !own.includes(name)), ...inside.flat()];
    },
    async close() {
      await runner.close();
      await rm(folder, { recursive: true });
    },
  };
}

function specFor(argv: readonly string[], over: Partial<RunSpec>): RunSpec {
  return {
    task: random.uuid(),
    sender: 'self',
    epoch: 1,
    nonce: random.uuid(),
    runner: { name: 'shell', kind: 'shell', argv: [] },
    input: { kind: 'argv', argv },
    timeoutMs: 60_000,
    maxOutputBytes: 64 * 1024,
    onOverflow: 'fail',
    isolation: 'none',
    reach: { workspace: 'write', scratch: false, readPaths: [], network: 'deny', secrets: [] },
    env: [],
    commands: 'allow',
    rights: [],
    ...over,
  };
}

/** A sink that keeps text and lets a test wait for some of it. */
function createTextSink(): RunSink & {
  text(stream: 'stdout' | 'stderr'): string;
  until(text: string): Promise<string>;
} {
  const kept = { stdout: '', stderr: '' };
  const waiters = new Set<() => void>();
  return {
    output(stream, bytes) {
      kept[stream] += Buffer.from(bytes).toString('utf8');
      for (const check of waiters) check();
    },
    text: (stream) => kept[stream],
    until: (text) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!kept.stdout.includes(text)) return;
          waiters.delete(check);
          resolve(kept.stdout);
        };
        waiters.add(check);
        check();
      }),
  };
}
