import { isWritError, toWritError } from '@writ/core';
import { collectArtifacts, collectEvidence, openBeneath, type Result, type Stored } from '@writ/evidence';
import type { EvidenceFailure } from '../../outcome.ts';
import type { Run, RunReport } from '../../types.ts';
import type { ExecutorOptions } from '../options.ts';
import { gitWorkOf } from './workspace.ts';

/** What came out of a run, as far as it could be established. */
export interface Evidence {
  readonly changes: Result['changes'];
  readonly artifacts: Result['artifacts'];
  readonly transcript: Stored | null;
  /** What the agent says that it used; absent: it says nothing. */
  readonly usage?: Result['usage'];
  /** What the run was confined by; absent: nothing ran. */
  readonly isolation?: string;
  /** The first step that failed; where it was that of the changes, they say so too. */
  readonly failure?: EvidenceFailure;
}

/** A run whose process tree is gone and whose files are still there. */
export interface Finished {
  readonly task: string;
  /** Whether it was to work on a workspace. */
  readonly workspace: boolean;
  /** Paths and patterns, of the profile and of the request. */
  readonly artifacts: readonly string[];
  readonly run: Run;
  readonly report: RunReport;
}

type Found = Omit<Evidence, 'failure'>;

/** What is collected, in this order; a step that throws has failed. */
const STEPS: readonly {
  readonly name: string;
  collect(parts: ExecutorOptions, finished: Finished, signal: AbortSignal): Promise<Partial<Found>> | Partial<Found>;
}[] = [
  { name: 'transcript', collect: transcriptOf },
  { name: 'changes', collect: changesOf },
  { name: 'artifacts', collect: artifactsOf },
];

/**
 * Collects everything that a result says about a run; never rejects. What one step fails with keeps the others from
 * nothing: work is not thrown away for an artifact that is not there. When `signal` aborts, what is not collected by then
 * fails.
 * INVARIANT: 10 whatever step fails, it is named, and no success comes of it.
 */
export async function collect(parts: ExecutorOptions, finished: Finished, signal: AbortSignal): Promise<Evidence> {
  const { isolation } = finished.run;
  const usage = usageOf(finished.report);
  let found: Found = { changes: { kind: 'no-workspace' }, artifacts: [], transcript: null, isolation, usage };
  let failure: EvidenceFailure | undefined;
  for (const { name, collect: step } of STEPS) {
    try {
      found = { ...found, ...(await step(parts, finished, signal)) };
    } catch (error) {
      parts.logger.error('evidence was not collected', { task: finished.task, step: name, error: String(error) });
      // What changed is what people look for first.
      failure = failure === undefined || name === 'changes' ? failureOf(name, error) : failure;
    }
  }
  if (!failure) return found;
  return failure.hidesChanges
    ? { ...found, changes: { kind: 'uncollected', step: failure.step }, failure }
    : { ...found, failure };
}

function failureOf(name: string, error: unknown): EvidenceFailure {
  const { message, details } = toWritError(error);
  const step = typeof details.step === 'string' ? details.step : name;
  // What the collecting itself says names its step already.
  const isSaid = isWritError(error, 'EVIDENCE_FAILED') && typeof details.step === 'string';
  const hidesChanges = name === 'changes';
  return {
    step,
    hidesChanges,
    message: isSaid ? message : `evidence cannot be collected: step \`${step}\`: ${message}`,
  };
}

/** The runner has counted what it wrote, so that nothing is read again. */
function transcriptOf(_parts: ExecutorOptions, { report }: Finished): Partial<Found> {
  if (report.transcript) return { transcript: report.transcript };
  throw new Error(`it could not be written${report.unwritten === undefined ? '' : `: ${report.unwritten}`}`);
}

/** What has changed since the commit that the runner noted before the run could touch its clone. */
async function changesOf(
  parts: ExecutorOptions,
  { task, workspace, run }: Finished,
  signal: AbortSignal,
): Promise<Partial<Found>> {
  const { clone, dir } = run.files;
  // INVARIANT: 10 that there was nothing to change is not concluded from what a runner leaves out.
  if (!clone && workspace) throw new Error('the runner does not say what the run began with');
  if (!clone) return { changes: { kind: 'no-workspace' } };
  const { evidence } = parts;
  const changes = await collectEvidence({
    ...gitWorkOf(parts),
    git: (call) => evidence.git({ ...call, signal }),
    openRoom: evidence.openRoom && ((shown) => evidence.openRoom?.({ ...shown, signal }) ?? Promise.resolve(undefined)),
    workspaceDir: dir,
    base: clone.base,
    ...(clone.base === undefined ? {} : { baseRepository: clone.source }),
    objectFormat: clone.objectFormat,
    nodeId: evidence.identity.public.id,
    task,
    store: evidence.content,
    limits: evidence.limits.collect,
  });
  // The evidence package hands out what nobody may change; a result is plain data.
  return { changes: changes.kind === 'changed' ? { ...changes, files: [...changes.files] } : changes };
}

async function artifactsOf(parts: ExecutorOptions, { artifacts, run }: Finished): Promise<Partial<Found>> {
  if (artifacts.length === 0) return {};
  const { content, limits } = parts.evidence;
  const found = await collectArtifacts({
    ...{ workspaceDir: run.files.dir, declared: artifacts, store: content, limits: limits.artifacts },
    platform: process.platform,
    open: openBeneath(process.platform),
  });
  return { artifacts: [...found] };
}

function usageOf({ agent }: RunReport): Result['usage'] {
  if (agent?.usage === undefined) return null;
  const { inputTokens = null, outputTokens = null, costMicroUsd = null } = agent.usage;
  return { inputTokens, outputTokens, costMicroUsd };
}
