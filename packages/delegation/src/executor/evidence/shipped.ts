import { isWritError, quote, WritError } from '@writ/core';
import { parseArtifactPattern, receiveShipped } from '@writ/evidence';
import type { ShippedInput, TaskSpec } from '@writ/task-store';
import type { PreparedRun, Run, RunSpec, SubmitRequest } from '../../types.ts';
import type { ExecutorParts } from '../parts.ts';
import { gitWorkOf } from './workspace.ts';

/** Most patterns that one request may name; each is held against each file. */
const MOST_PATTERNS = 256;
const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

type Workspace = NonNullable<RunSpec['workspace']>;

/** Work that was sent along, in a repository apart from the workspace. */
export interface ShippedWork {
  readonly workspace: Workspace;
  remove(): Promise<void>;
}

/**
 * Looks at what a request says about files, before anything is stored. Throws BAD_REQUEST where a pattern is none, or
 * where what was to be sent along is not here.
 */
export async function checkFiles(parts: ExecutorParts, { task, spec, subject }: SubmitRequest): Promise<void> {
  checkPatterns(spec);
  const { shipped, workspace } = spec;
  if (shipped === undefined) return;
  if (workspace === undefined) throw new WritError('BAD_REQUEST', 'work was sent along for no workspace');
  if (!COMMIT.test(shipped.commit)) {
    throw new WritError('BAD_REQUEST', `${quote(shipped.commit)} is no full commit id`);
  }
  // A request that is sent again finds its task, whatever has become of the bundle.
  if (parts.database.withReadTx((tx) => parts.tasks.get(tx, task)) !== undefined) return;
  await requireBundle(parts, subject.from, shipped);
}

function checkPatterns({ artifacts = [] }: TaskSpec): void {
  if (artifacts.length > MOST_PATTERNS) {
    throw new WritError('BAD_REQUEST', `more than ${MOST_PATTERNS} patterns of artifacts`);
  }
  for (const pattern of artifacts) parseArtifactPattern(pattern);
}

async function requireBundle(parts: ExecutorParts, sender: string, shipped: ShippedInput): Promise<string | undefined> {
  if (shipped.bundle === undefined) return undefined;
  const path = await parts.inputs.find(sender, shipped.bundle);
  if (path !== undefined) return path;
  throw new WritError('BAD_REQUEST', `the bundle ${shipped.bundle.sha256} that this task works on is not here`, {
    nextSteps: ['send the bundle first, then submit'],
  });
}

/** Unpacks what was sent along beside the workspace. Throws BAD_REQUEST, EVIDENCE_INVALID, CONFLICT or GIT_FAILED. */
export async function openShipped(
  parts: ExecutorParts,
  sender: string,
  shipped: ShippedInput,
  workspace: Workspace,
): Promise<ShippedWork> {
  const { name, path } = workspace;
  const bundleFile = await requireBundle(parts, sender, shipped);
  const working = (repository: string): Workspace => ({ name, path, shipped: { repository, commit: shipped.commit } });
  if (bundleFile === undefined || !shipped.bundle) return { workspace: working(path), async remove() {} };
  try {
    const { limits } = parts.evidence;
    const request = { bundleFile, repository: path, commit: shipped.commit, sha256: shipped.bundle.sha256 };
    const received = await receiveShipped({ ...gitWorkOf(parts), ...request, limits: limits.bundle });
    return { workspace: working(received.repository), remove: received.remove };
  } catch (error) {
    // Told to the sender, who is to learn no path of this machine.
    if (!isWritError(error, 'CONFLICT')) throw error;
    throw notTaken(name, error);
  }
}

/** Why a workspace cannot take what was sent along, without a path. */
function notTaken(name: string, cause: WritError): WritError {
  const { commit, ours, theirs, isPartial } = cause.details;
  const conflict = (why: string, nextStep: string): WritError =>
    new WritError('CONFLICT', `workspace ${quote(name)} ${why}`, { cause, nextSteps: [nextStep] });
  if (typeof ours === 'string' && typeof theirs === 'string') {
    const why = `names its objects by ${ours}, and what was sent along by ${theirs}`;
    return conflict(why, 'send it from a clone of the repository that the workspace is of, or send nothing along');
  }
  if (isPartial === true) {
    const why = 'is a partial clone, and lacks objects that what was sent along builds on';
    return conflict(why, 'have a person at its node run, in the workspace: git fetch --refetch --no-filter');
  }
  const needed = typeof commit === 'string' ? commit : 'a commit';
  return conflict(
    `lacks ${needed}, which what was sent along builds on`,
    'send it again: what the workspace has is asked anew',
  );
}

/** A prepared run that gives the repository of what was sent along back with its own files. */
export function withShipped(
  prepared: PreparedRun,
  shipped: ShippedWork,
  failed: (error: unknown) => void,
): PreparedRun {
  const remove = (): void => void shipped.remove().catch(failed);
  let started = false;
  return {
    async start(spec, sink) {
      started = true;
      try {
        const run = await prepared.start({ ...spec, workspace: shipped.workspace }, sink);
        const release: Run['release'] = (fate) => {
          run.release(fate);
          remove();
        };
        return { ...run, release };
      } catch (error) {
        remove();
        throw error;
      }
    },
    discard() {
      prepared.discard();
      if (!started) remove();
    },
  };
}
