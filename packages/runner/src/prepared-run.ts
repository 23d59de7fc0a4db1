import { WritError } from '@writ/core';
import { DRIVERS } from './drivers/drivers.ts';
import { planLaunch } from './launch.ts';
import type { RunnerParts } from './runner-parts.ts';
import { askerOf, type Sandbox } from './sandbox/sandbox.ts';
import { createKnownSecrets } from './secrets/known-secrets.ts';
import { startFailure } from './start-failure.ts';
import { createCapture, createRun, type StartedRun } from './task-run.ts';
import type { Run, RunSink, RunSpec } from './types.ts';
import type { Attempt } from './workspaces/attempt.ts';

/** A run of a task whose folders are given back by somebody else. */
export type TaskRun = StartedRun & Pick<Run, 'files' | 'isolation' | 'redact' | 'clean'>;

/**
 * Rejects where the spec may not run at all, with ISOLATION_UNAVAILABLE, COMMAND_NOT_ALLOWED or BAD_REQUEST. Costs next to
 * nothing, so it is asked before anything is prepared, and again of the final spec.
 */
export async function assertMayRun(spec: RunSpec, sandbox: Sandbox): Promise<void> {
  if (spec.isolation === 'required') await sandbox.require(askerOf(spec.runner.name));
  if (spec.nonce === '' || spec.nonce.includes('\0')) throw new WritError('BAD_REQUEST', 'the attempt has no nonce');
  DRIVERS[spec.runner.kind].launch(spec, '');
}

/** Spawns a run in its folders, which are given back where it does not start. */
export async function startRun(parts: RunnerParts, spec: RunSpec, sink: RunSink, attempt: Attempt): Promise<TaskRun> {
  try {
    await assertMayRun(spec, parts.sandbox);
    return await spawnRun(parts, spec, sink, attempt);
  } catch (error) {
    parts.workspaces.release(attempt);
    throw error;
  }
}

async function spawnRun(parts: RunnerParts, spec: RunSpec, sink: RunSink, attempt: Attempt): Promise<TaskRun> {
  const { options, spawner, transcripts, graceMs } = parts;
  const { clock, logger } = options;
  const { work, folder, clone } = attempt;
  const launch = await planLaunch(parts, spec, attempt);
  const { argv, env, isolation, inputOpen } = launch;
  const secrets = createKnownSecrets(launch.secrets);
  const transcript = transcripts.writer(spec.task, spec.maxOutputBytes);
  const { converse } = DRIVERS[spec.runner.kind];
  const capture = createCapture({ transcript, sink, logger, secrets, isFollowed: converse !== undefined });
  const order = { argv, cwd: work, env, nonce: spec.nonce, folder, graceMs, inputOpen, ...launch.sandbox };
  const { permit = refuseAll } = sink;
  const { onOutput: write, note, keep, clean } = capture;
  const conversation = converse?.({ spec, workspace: work, output: { write, note, keep }, clean, permit, clock });
  const result = await spawner.spawn(order, conversation?.take ?? capture.onOutput);
  if (!result.ok) {
    await launch.undo();
    throw await startFailure(launch.tried, result.failed);
  }
  const files = { dir: work, ...(clone === undefined ? {} : { clone }) };
  const settle = async (): Promise<void> => {
    await capture.flush();
    await launch.undo().catch((error) => {
      logger.error('what a run was given is not taken back', { task: spec.task, error: String(error) });
    });
  };
  const parted = { spec, process: result.process, conversation, capture, transcript, clock, logger, settle };
  const run = createRun(parted);
  const redact = (secret: string): boolean => secrets.tell(Buffer.from(secret));
  return { ...run, files, isolation, redact, clean };
}

/** Where nobody decides, an agent is given nothing that it has to ask for. */
const refuseAll: NonNullable<RunSink['permit']> = () =>
  Promise.resolve({ allowed: false, reason: 'nobody decides what an agent may do here' });
