import type { Executor, PeerClient } from '../types.ts';
import { refusedDecision } from './verdicts.ts';

/** The node as its own peer `self`: the same port as a remote one, without a wire. */
export function createLocalPeerClient(executor: Executor): PeerClient {
  return {
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
    readTranscript: (task, offset, limit) => executor.readTranscript(task, offset, limit),
  };
}
