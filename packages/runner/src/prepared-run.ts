import { WritError } from '@writ/core';
import { DRIVERS } from './drivers/drivers.ts';
import { buildEnvironment } from './environment.ts';
import { assertIsolation } from './isolation.ts';
import type { Spawner } from './spawned.ts';
import { startFailure } from './start-failure.ts';
import { createCapture, createRun, type StartedRun } from './task-run.ts';
import type { Transcripts } from './transcripts.ts';
import type { Run, RunSink, RunSpec, TaskRunnerOptions } from './types.ts';
import type { Attempt, Workspaces } from './workspaces.ts';

/** A run of a task whose folders are given back by somebody else. */
export type TaskRun = StartedRun & Pick<Run, 'files'>;

/** What a start goes through. */
export interface RunnerParts {
  readonly options: TaskRunnerOptions;
  readonly spawner: Spawner;
  readonly workspaces: Workspaces;
  readonly transcripts: Transcripts;
  /** Between TERM and KILL, milliseconds. */
  readonly graceMs: number;
}

/**
 * Throws where the spec may not run at all: ISOLATION_UNAVAILABLE, COMMAND_NOT_ALLOWED or BAD_REQUEST. Costs nothing, so
 * it is asked before anything is prepared, and again of the final spec.
 */
export function assertMayRun(spec: RunSpec): void {
  assertIsolation(spec);
  if (spec.nonce === '' || spec.nonce.includes('\0')) throw new WritError('BAD_REQUEST', 'the attempt has no nonce');
  DRIVERS[spec.runner.kind].launch(spec, '');
}

/** Spawns a run in its folders, which are given back where it does not start. */
export async function startRun(parts: RunnerParts, spec: RunSpec, sink: RunSink, attempt: Attempt): Promise<TaskRun> {
  try {
    assertMayRun(spec);
    return await spawnRun(parts, spec, sink, attempt);
  } catch (error) {
    parts.workspaces.release(attempt);
    throw error;
  }
}

async function spawnRun(
  { options, spawner, transcripts, graceMs }: RunnerParts,
  spec: RunSpec,
  sink: RunSink,
  { home, tmp, work, folder, clone }: Attempt,
): Promise<TaskRun> {
  const { task, nonce } = spec;
  const { clock, logger } = options;
  const driver = DRIVERS[spec.runner.kind];
  const { argv, inputOpen } = driver.launch(spec, work);
  const { access } = spec;
  const allowed = spec.env;
  const env = buildEnvironment({ node: options.env, allowed, home, tmp, task, nonce, ...(access ? { access } : {}) });
  const transcript = transcripts.writer(task, spec.maxOutputBytes);
  const capture = createCapture(transcript, sink, logger);
  const { permit = refuseAll } = sink;
  const conversation = driver.converse?.({ spec, workspace: work, write: capture.onOutput, permit, clock });
  const order = { argv, cwd: work, env, nonce, folder, graceMs, inputOpen };
  const result = await spawner.spawn(order, conversation?.take ?? capture.onOutput);
  if (!result.ok) {
    const tried = { runner: spec.runner, program: argv[0] ?? '', path: env.PATH ?? '', cwd: work };
    throw await startFailure(tried, result.failed);
  }
  const files = { dir: work, ...(clone === undefined ? {} : { clone }) };
  return { ...createRun({ spec, process: result.process, conversation, capture, transcript, clock, logger }), files };
}

/** Where nobody decides, an agent is given nothing that it has to ask for. */
const refuseAll: NonNullable<RunSink['permit']> = () =>
  Promise.resolve({ allowed: false, reason: 'nobody decides what an agent may do here' });
