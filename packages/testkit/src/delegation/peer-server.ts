import type { LeaseRequest } from '@writ/authority';
import { type Clock, isWritError, WritError } from '@writ/core';
import type { Executor, LeaseAnswer, OutgoingSubmit, PeerClient, SubmitRequest } from '@writ/delegation';
import { verifyChain } from '@writ/identity';
import { NODE_IDS, pinOf } from './test-identities.ts';

/** Bytes of one piece of a fetch. */
const PIECE_BYTES = 64 * 1024;
const MAX_CHAIN = 16;

/**
 * What the mesh server does for a peer that has proved to be `sender`: the executor of node `self` (absent: beta) behind
 * a `PeerClient`. Writs are verified as a real node does.
 */
export function createPeerServer(options: {
  readonly executor: Executor;
  readonly sender: string;
  readonly self?: string;
  readonly clock: Clock;
  /** Takes the end of a session, in the name of the sender; absent: it is not heard. */
  readonly endSession?: (statement: Uint8Array) => void;
  /** Asks a person of that node; absent: there is none. */
  readonly requestLease?: (request: LeaseRequest) => LeaseAnswer;
}): PeerClient {
  const { executor, sender } = options;
  const own = (task: string): string => {
    const found = executor.get(task);
    if (found === undefined || found.sender !== sender) throw new WritError('NOT_FOUND', 'no such task');
    return task;
  };
  return {
    async submit(outgoing) {
      const answer = await executor.submit(arrived(options, outgoing));
      if (answer.accepted) return { accepted: true, state: answer.task.state };
      const { effect, code, message, nextSteps, generation } = answer.decision;
      const refusal = effect === 'ask' ? 'ask' : 'deny';
      return { accepted: false, decision: { effect: refusal, code, message, nextSteps, generation } };
    },
    watch: (task, afterSeq, signal) => executor.watch(task, afterSeq, signal),
    cancel: async (task) => (await executor.cancel(task, sender)).outcome,
    renew: async (task, extensions) => executor.renew(own(task), extensions),
    reply: async (task, reply) => executor.turns.reply(own(task), reply, sender),
    readTranscript: (task, offset, limit) => executor.readTranscript(task, offset, limit),
    async getResult(task) {
      const result = executor.result(own(task));
      if (result === undefined) throw new WritError('NOT_FOUND', 'no result');
      return result.envelope;
    },
    async *fetch(task, sha256, offset, signal) {
      own(task);
      for (let at = offset; !signal.aborted; ) {
        const piece = await executor.readContent(task, sha256, at, PIECE_BYTES);
        if (piece.length === 0) return;
        at += piece.length;
        yield piece;
      }
    },
    async acknowledge(receipts) {
      return receipts.flatMap(({ task, envelope }) => {
        try {
          executor.acknowledge(own(task), envelope);
          return [task];
        } catch (error) {
          if (isWritError(error, 'NOT_FOUND') || isWritError(error, 'EVIDENCE_INVALID')) return [];
          throw error;
        }
      });
    },
    workspaceCommits: (name) => executor.workspaceCommits(name),
    upload: (input, data) => executor.takeInput(sender, input, data),
    endSession: async (statement) => options.endSession?.(statement),
    async requestLease(request) {
      if (options.requestLease) return options.requestLease({ ...request, from: sender });
      throw new WritError('UNREACHABLE', 'nobody is asked here');
    },
  };
}

function arrived(
  { sender, clock, self = NODE_IDS.beta }: Parameters<typeof createPeerServer>[0],
  outgoing: OutgoingSubmit,
): SubmitRequest {
  const { task, idempotencyKey, spec, agent, writs } = outgoing;
  const check = { self, tlsPeer: sender, nowMs: clock.nowMs(), maxChain: MAX_CHAIN };
  const chain = verifyChain(writs, check, { get: pinOf });
  const subject = { from: sender, origin: chain.last.origin, session: chain.last.session };
  return { task, idempotencyKey, spec, agent, subject, chain, writs };
}
