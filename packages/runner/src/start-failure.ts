import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { quote, WritError } from '@writ/core';
import type { Failed } from './spawner/frames.ts';
import type { RunnerConfig } from './types.ts';

/** `errno` of a start whose sandbox does not show the program. */
export const NOT_SHOWN = 'NOT_SHOWN';

/** What was tried when no process came of it. */
export interface StartAttempt {
  readonly runner: RunnerConfig;
  readonly program: string;
  readonly path: string;
  readonly cwd: string;
}

/**
 * The error for a process that could not be started. A program that is not there is WORKER_FAILED for a `shell`
 * runner (the request names it) and RUNNER_UNAVAILABLE for any other (the node's configuration names it).
 */
export async function startFailure(attempt: StartAttempt, failed: Failed): Promise<WritError> {
  const { program, path, runner } = attempt;
  const code = runner.kind === 'shell' ? 'WORKER_FAILED' : 'RUNNER_UNAVAILABLE';
  const details = { program, errno: failed.errno, runner: runner.name };
  // The request names the program of a `shell` runner, the configuration that of any other.
  const seen = runner.kind === 'shell' ? [] : ['see what is there, on the executing node: writ runner doctor'];
  const nextSteps = [`install ${quote(program)} on the executing node, or name it by its absolute path`, ...seen];
  if (failed.errno === NOT_SHOWN) {
    return new WritError(code, `program ${quote(program)} is not there in the sandbox`, {
      details,
      nextSteps: [
        `install ${quote(program)} on the executing node for everybody, below /usr or /opt`,
        'or give its profile `read_files`, and name its folder in `read_paths`',
        ...seen,
      ],
    });
  }
  if (failed.errno === 'ENOENT' || failed.errno === 'EACCES') {
    // The request names the program of a `shell` runner: that reader is told what is wrong, and not this node's PATH.
    const where = program.includes('/') || runner.kind === 'shell' ? '' : `; looked in ${quote(path)}`;
    const why = (await exists(attempt))
      ? `program ${quote(program)} cannot be run: it is not executable, its interpreter is missing, or it lies where nothing is executed (a mount with noexec)`
      : `program ${quote(program)} was not found${where}`;
    return new WritError(code, why, { details: { ...details, path }, nextSteps });
  }
  if (failed.errno === 'E2BIG') {
    const nextStep = 'pass large input in a file of the workspace';
    return new WritError('WORKER_FAILED', 'the arguments are too long', { details, nextSteps: [nextStep] });
  }
  return new WritError('RUNNER_UNAVAILABLE', `${quote(program)} could not be started: ${failed.message}`, { details });
}

async function exists({ program, path, cwd }: StartAttempt): Promise<boolean> {
  const places = program.includes('/')
    ? [resolve(cwd, program)]
    : path.split(':').map((folder) => resolve(folder, program));
  const found = await Promise.all(
    places.map((place) =>
      access(place, constants.F_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}
