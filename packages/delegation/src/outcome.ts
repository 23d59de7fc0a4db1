import { formatDuration, formatSize, quote } from '@writ/core';
import type { Ending, TaskOutcome } from '@writ/task-store';
import type { RunReport } from './types.ts';

/** Why the executor ended a run or a queued task before it ended by itself. */
export type StopCause =
  | { readonly kind: 'cancel'; readonly by: string }
  | { readonly kind: 'withdrawn'; readonly code: string; readonly message: string };

/** Which of its bounds the deadline of an attempt came from; `timeout` is the profile's or the origin's own. */
export type DeadlineSource = 'timeout' | 'lease';

/** What a report is judged by. */
export interface OutcomePolicy {
  readonly onOverflow: 'fail' | 'truncate';
  readonly maxOutputBytes: number;
  readonly deadline: DeadlineSource;
  /** The first cause, where this node ended the run. */
  readonly cause?: StopCause;
}

/** Which step of the evidence failed, and what a person is told. */
export interface EvidenceFailure {
  readonly step: string;
  /** `…: step \`STEP\`` with, behind it, what only the person of this node may see. */
  readonly message: string;
  /** Whether the changes could not be established, as they then say themselves. */
  readonly hidesChanges: boolean;
}

type Verdict = Pick<TaskOutcome, 'state' | 'code' | 'message'> & { readonly ending?: Ending };

/**
 * What a run came to: pure.
 * INVARIANT: 8 a stop that this node decided on wins over a completion that was reported later.
 * INVARIANT: 10 a failure outranks truncation and both are reported.
 */
export function outcomeOf(report: RunReport, policy: OutcomePolicy): TaskOutcome {
  const verdict = policy.cause ? stopVerdict(policy.cause) : endingVerdict(report, policy);
  return {
    ending: report.ending,
    ...verdict,
    truncated: report.truncated || report.ending.kind === 'output-limit',
    stdoutBytes: report.stdoutBytes,
    stderrBytes: report.stderrBytes,
    startedAtMs: report.startedAtMs,
    endedAtMs: report.endedAtMs,
  };
}

/** What a task came to that no process ever ran for. */
export function outcomeWithoutRun(verdict: StopCause | Verdict, endedAtMs: number): TaskOutcome {
  const { state, code, message } = 'kind' in verdict ? stopVerdict(verdict) : verdict;
  return {
    state,
    ...(code === undefined ? {} : { code }),
    message,
    truncated: false,
    stdoutBytes: 0,
    stderrBytes: 0,
    endedAtMs,
  };
}

/** INVARIANT: 10 a success without its evidence is a failure; what ended otherwise keeps its ending. */
export function withEvidence(outcome: TaskOutcome, failure: EvidenceFailure | undefined): TaskOutcome {
  if (!failure) return outcome;
  if (outcome.state !== 'completed') {
    // INVARIANT: 10 both are told: how it ended, and what is not there.
    return failure.hidesChanges
      ? outcome
      : { ...outcome, message: `${outcome.message}; ${toldFailure(failure.message)}` };
  }
  return {
    ...outcome,
    ...{ state: 'failed', code: 'EVIDENCE_FAILED', message: `${outcome.message}, but ${failure.message}` },
  };
}

/**
 * What anybody may read of the message of a failure: what failed, and of a file, by its path in the workspace, or of an
 * artifact what is wrong with it.
 */
export function toldFailure(message: string): string | undefined {
  return /^.*?(evidence cannot be collected: step `[^`]*`(: (`[^`]*` (cannot be read|is larger than \d+ bytes|was not taken in|was changed in the index and kept off the disk)|there are files in the submodule `[^`]*`|the submodule `[^`]*` is in a conflict|the index of the workspace is gone|there are more than \d+ files and folders))?|artifacts cannot be collected: .*|could not be signed: step `sign`)/s.exec(
    message,
  )?.[0];
}

function stopVerdict(cause: StopCause): Verdict {
  if (cause.kind === 'withdrawn') return { state: 'failed', code: cause.code, message: cause.message };
  return { state: 'cancelled', code: 'CANCELLED', message: `cancelled by ${quote(cause.by)}` };
}

function endingVerdict(report: RunReport, policy: OutcomePolicy): Verdict {
  const { ending } = report;
  switch (ending.kind) {
    case 'exit':
      return ending.exitCode === 0
        ? wellEndedVerdict('exited with status 0', report, policy)
        : agentVerdict(`exited with status ${ending.exitCode}${likelySignal(ending.exitCode)}`, report.agent);
    case 'dismissed':
      return wellEndedVerdict('its agent was done and was ended', report, policy);
    case 'signal':
      return { state: 'failed', code: 'WORKER_FAILED', message: `ended by signal ${ending.signal}` };
    case 'timeout':
      return timeoutVerdict(ending.timeoutMs, policy.deadline);
    case 'output-limit':
      return overflowVerdict('exited with status 0', policy);
    case 'cancel':
      return { state: 'cancelled', code: 'CANCELLED', message: `cancelled: ${quote(ending.cause)}` };
  }
}

/** The process ended as one does whose work went well; `how` says in which way. */
function wellEndedVerdict(how: string, report: RunReport, policy: OutcomePolicy): Verdict {
  // INVARIANT: 10 the worse of what the process and its agent say is what counts.
  if (report.agent && report.agent.verdict !== 'completed') return agentVerdict(how, report.agent);
  if (report.unwritten !== undefined) return diskVerdict(how, report.unwritten, policy);
  return report.truncated ? overflowVerdict(how, policy) : { state: 'completed', message: how };
}

/** Signals that end a program by its own fault or by want of memory or time, and hardly ever anything else. */
const FATAL: Readonly<Record<number, string>> = {
  132: 'SIGILL',
  134: 'SIGABRT',
  136: 'SIGFPE',
  137: 'SIGKILL, as for want of memory',
  139: 'SIGSEGV',
};

/** A shell tells of a signal by a status; whether there was one cannot be known from it. */
function likelySignal(exitCode: number): string {
  const signal = FATAL[exitCode];
  return signal === undefined ? '' : `, which is how a shell tells of ${signal}`;
}

/** A failure, with the agent's own words where it has any. */
function agentVerdict(how: string, agent: RunReport['agent']): Verdict {
  const said = agent?.message === undefined ? '' : `; the agent: ${agent.message}`;
  return { state: 'failed', code: 'WORKER_FAILED', message: `${how}${said}` };
}

/** The work itself went well but wrote more than it may. */
function overflowVerdict(how: string, policy: OutcomePolicy): Verdict {
  const limit = formatSize(policy.maxOutputBytes);
  if (policy.onOverflow === 'truncate') {
    return { state: 'completed', message: `${how}; output cut at ${limit}` };
  }
  return {
    state: 'failed',
    code: 'RESULT_TOO_LARGE',
    message: `${how} but wrote more than ${limit}`,
    ending: { kind: 'output-limit', limitBytes: policy.maxOutputBytes },
  };
}

/** The work itself went well, but this node lost a part of what it wrote. */
function diskVerdict(how: string, fault: string, policy: OutcomePolicy): Verdict {
  const lost = `the disk of this node refused a part of its output: ${fault}`;
  if (policy.onOverflow === 'truncate') return { state: 'completed', message: `${how}; ${lost}` };
  return { state: 'failed', code: 'INTERNAL', message: `${how}, but ${lost}` };
}

function timeoutVerdict(timeoutMs: number, deadline: DeadlineSource): Verdict {
  const after = `after ${formatDuration(timeoutMs)}`;
  switch (deadline) {
    case 'lease':
      return { state: 'failed', code: 'LEASE_EXPIRED', message: `its lease expired ${after}` };
    case 'timeout':
      return { state: 'failed', code: 'TIMED_OUT', message: `timed out ${after}` };
  }
}
