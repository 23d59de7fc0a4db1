import type { WriteTx } from '@writ/database';
import { RESULT_LISTS, type Result, readResult, type UnsignedResult } from '@writ/evidence';
import { readWritClaims } from '@writ/identity';
import type { Task, TaskOutcome } from '@writ/task-store';
import { withEvidence } from '../../outcome.ts';
import { ownNonce } from '../../own-nonce.ts';
import { taskMessage } from '../../peer-words.ts';
import type { ExecutorOptions } from '../options.ts';
import type { Evidence } from './collecting.ts';

/** Longest text inside a result, UTF-16 units. */
const LONGEST_TEXT = 4096;
const PRINTABLE = /^[\x21-\x7e]{1,256}$/;

/** Signs what a task came to, in the transaction that ends it, and gives the outcome with the result's digest. */
export type SignEnd = (tx: WriteTx, task: Task, outcome: TaskOutcome, evidence?: Evidence) => TaskOutcome;

export function createSignEnd(options: ExecutorOptions): SignEnd {
  const { evidence: kit, logger } = options;

  /** Undefined where it cannot be signed; what the database throws is thrown. */
  function signed(tx: WriteTx, unsigned: UnsignedResult): string | undefined {
    let result: ReturnType<typeof kit.signer.sign>;
    try {
      result = kit.signer.sign(unsigned);
    } catch (error) {
      logger.error('a result was not signed', { task: unsigned.task, error: String(error) });
      return undefined;
    }
    kit.results.putEnvelope(tx, result.sha256, result.envelope);
    return result.sha256;
  }

  return (tx, task, outcome, evidence) => {
    const sha256 = signed(tx, unsignedResult(options, tx, task, outcome, evidence));
    if (sha256 !== undefined) return { ...outcome, result: sha256 };
    // INVARIANT: 10 a success that nobody has signed for is none. INVARIANT: 9 the end is never held up by it.
    if (outcome.state !== 'completed') return outcome;
    const failed = withEvidence(outcome, SIGN_FAILED);
    const without: Evidence = { changes: { kind: 'uncollected', step: 'sign' }, artifacts: [], transcript: null };
    const again = signed(tx, unsignedResult(options, tx, task, failed, without));
    return again === undefined ? failed : { ...failed, result: again };
  };
}

const SIGN_FAILED = {
  step: 'sign',
  message: 'the result could not be signed: step `sign`',
  hidesChanges: true,
} as const;

function unsignedResult(
  options: ExecutorOptions,
  tx: WriteTx,
  task: Task,
  outcome: TaskOutcome,
  evidence: Evidence | undefined,
): UnsignedResult {
  const { granted, spec } = task;
  const self = options.evidence.identity.public.id;
  const writs = options.tasks.writs(tx, task.id);
  const { changes, artifacts, transcript, ...run } = evidence ?? withoutRun(task, outcome);
  const { isolation = granted.isolation, usage = null } = run;
  return {
    ...{ task: task.id, origin: task.origin === 'self' ? self : task.origin },
    ...{ session: printable(task.session), agent: printable(task.agent) },
    ...{ chain: [...task.chain], writs: [...writs], nonce: nonceOf(task, writs) },
    workspace: spec.workspace ?? null,
    profile: { requested: granted.requestedProfile, effective: granted.effectiveProfile },
    ...{ runner: granted.effectiveRunner, isolation, generation: granted.generation },
    ...decidedBy(options, tx, task),
    ...{ changes, artifacts, transcript, usage },
    outcome: { state: outcome.state, code: outcome.code ?? null, message: toldMessage(task, outcome) },
    exit: exitOf(outcome),
    truncated: outcome.truncated,
    output: { stdoutBytes: outcome.stdoutBytes, stderrBytes: outcome.stderrBytes },
    times: {
      acceptedAtMs: task.createdAtMs,
      startedAtMs: outcome.startedAtMs ?? null,
      endedAtMs: outcome.endedAtMs,
    },
    children: childrenOf(options, tx, task.id),
  };
}

/** The lease that it ran by, and what persons said about it. */
function decidedBy(
  { questions }: ExecutorOptions,
  tx: WriteTx,
  { id, granted: { leaseId } }: Task,
): Pick<UnsignedResult, 'lease' | 'approvals' | 'unseparated'> {
  const lease = leaseId ?? null;
  const decisions = questions?.decisions(tx, { id, ...(leaseId === undefined ? {} : { lease: leaseId }) });
  if (decisions === undefined) return { lease, approvals: [] };
  return { lease, approvals: [...decisions.approvals], ...(decisions.unseparated ? { unseparated: true } : {}) };
}

/** What there is to say about a task that left nothing to look at. */
function withoutRun(task: Task, outcome: TaskOutcome): Evidence {
  const step = task.attemptNonce === undefined ? 'start' : outcome.state === 'lost' ? 'recovery' : 'end';
  const changes: Result['changes'] =
    task.spec.workspace === undefined ? { kind: 'no-workspace' } : { kind: 'uncollected', step };
  return { changes, artifacts: [], transcript: null };
}

/** Of the last writ, or the one of a task of this node's own. */
function nonceOf(task: Pick<Task, 'id' | 'chain'>, writs: readonly string[]): string {
  if (task.chain.length === 0) return ownNonce(task.id);
  return readWritClaims(writs.at(-1) ?? '')?.nonce ?? '';
}

/** The words that the sender sees in the events too: what is about this machine alone stays here. */
function toldMessage(task: Task, outcome: TaskOutcome): string {
  const message = task.sender === 'self' ? outcome.message : taskMessage(task.id, outcome);
  return message.slice(0, LONGEST_TEXT);
}

function exitOf({ ending }: TaskOutcome): Result['exit'] {
  if (ending?.kind === 'cancel') return { kind: 'cancel', cause: ending.cause.slice(0, LONGEST_TEXT) };
  return ending ?? null;
}

/** Ids that came with a writ are printable; those of this machine's own agents are what a person wrote. */
function printable(id: string): string {
  return PRINTABLE.test(id) ? id : encodeURIComponent(id).slice(0, 256);
}

/** Results that have come back of what this task handed on, oldest first. */
function childrenOf({ mirrors, evidence }: ExecutorOptions, tx: WriteTx, parent: string): Result['children'] {
  const handedOn = [...mirrors.listChildren(tx, parent, RESULT_LISTS.children)].reverse();
  return handedOn.flatMap(({ id, peer }) => {
    const digest = evidence.results.delivery(tx, id)?.result;
    const envelope = digest === undefined ? undefined : evidence.results.envelope(tx, digest);
    if (digest === undefined || envelope === undefined || peer === 'self') return [];
    // It was verified when it came: its nonce is the one of the writ that it was sent with.
    return { task: id, node: peer, nonce: readResult(envelope).nonce, envelope: digest };
  });
}
