import type { LeaseRequest } from '@writ/authority';
import { isWritError, WritError } from '@writ/core';
import type { PeerClient } from '../peer-port.ts';
import type { Executor, LeaseAnswer } from '../types.ts';
import { refusedDecision } from './verdicts.ts';

/** Bytes of one piece of a fetch. */
const PIECE_BYTES = 256 * 1024;

/**
 * The node as its own peer `self`: the same port as a remote one, without a wire. `requestLease` asks a person of this
 * node.
 */
export function createLocalPeerClient(
  executor: Executor,
  requestLease: (request: LeaseRequest) => LeaseAnswer,
): PeerClient {
  return {
    // The gate of this very node has ended what waits here.
    endSession: async () => {},
    requestLease: async (request) => requestLease({ ...request, from: 'self' }),
    async submit({ task, idempotencyKey, spec, session, agent }) {
      const subject = { from: 'self', origin: 'self', session };
      const answer = await executor.submit({ task, idempotencyKey, spec, subject, agent });
      if (answer.accepted) return { accepted: true, state: answer.task.state };
      return { accepted: false, decision: refusedDecision(answer.decision) };
    },
    watch: (task, afterSeq, signal) => executor.watch(task, afterSeq, signal),
    async cancel(task) {
      return (await executor.cancel(task, 'self')).outcome;
    },
    renew: (task, extensions) => executor.renew(task, extensions),
    reply: async (task, reply) => executor.turns.reply(task, reply, 'self'),
    readTranscript: (task, offset, limit) => executor.readTranscript(task, offset, limit),
    async getResult(task) {
      const result = executor.result(task);
      if (result === undefined) throw new WritError('NOT_FOUND', 'the task has no result');
      return result.envelope;
    },
    async *fetch(task, sha256, offset, signal) {
      for (let at = offset; !signal.aborted; ) {
        const piece = await executor.readContent(task, sha256, at, PIECE_BYTES);
        if (piece.length === 0) return;
        at += piece.length;
        yield piece;
      }
    },
    async acknowledge(receipts) {
      return receipts.filter(({ task, envelope }) => isStored(() => executor.acknowledge(task, envelope))).map(taskOf);
    },
    workspaceCommits: (name) => executor.workspaceCommits(name),
    upload: (input, data) => executor.takeInput('self', input, data),
  };
}

const taskOf = ({ task }: { readonly task: string }): string => task;

/** A receipt that is refused would be refused again; a fault is one of this node's own. */
function isStored(store: () => void): boolean {
  try {
    store();
    return true;
  } catch (error) {
    if (isWritError(error, 'NOT_FOUND') || isWritError(error, 'EVIDENCE_INVALID')) return false;
    throw error;
  }
}
