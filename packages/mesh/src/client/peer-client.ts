import type { PeerCommands } from '@writ/commands';
import { WritError } from '@writ/core';
import type { PeerClient, PeerSubmitAnswer, WatchedEvent } from '@writ/delegation';
import { decisionFromWire, type RemoteDecision, refusalFromWire } from '../convert/decision.ts';
import { descriptionFromWire, type PeerDescription } from '../convert/description.ts';
import { eventFromWire } from '../convert/event.ts';
import { given, readCount } from '../convert/fields.ts';
import { commitsFromWire, inputToWire } from '../convert/input.ts';
import { leaseAnswerFromWire, leaseRequestToWire } from '../convert/lease-request.ts';
import { renewalFromWire } from '../convert/renewal.ts';
import { acknowledgedFromWire, receiptBatches } from '../convert/result.ts';
import { specToWire } from '../convert/spec.ts';
import { type RemoteTask, taskFromWire } from '../convert/task.ts';
import { replyToWire, takenFromWire } from '../convert/turn.ts';
import { converted, createAsk, DEADLINE_MS, noted, type PeerClientDeps } from './ask.ts';
import { callStream, callUnary } from './calls.ts';
import { createPeerCommands } from './commands.ts';
import { fetchContent, getResult, uploadInput } from './content.ts';
import { failureOf, garbageFrom } from './failure.ts';
import type { Link } from './links.ts';

/** Time for an answer where the peer has to end a process tree first, milliseconds. */
const CANCEL_DEADLINE_MS = 60_000;

/** Everything that can be asked of one peer. Methods throw UNREACHABLE, or what the peer said. */
export interface MeshPeerClient extends PeerClient, PeerCommands {
  /** Both are given up when `signal` aborts. */
  describe(signal?: AbortSignal): Promise<PeerDescription>;
  checkPolicy(
    question: { readonly profile?: string; readonly runner?: string; readonly workspace?: string },
    signal?: AbortSignal,
  ): Promise<RemoteDecision>;
  getTask(task: string): Promise<RemoteTask>;
  /** Tasks that this node sent there, newest first. */
  listTasks(page: { readonly limit: number; readonly before?: string }): Promise<readonly RemoteTask[]>;
}

/** The client of one peer; it finds the peer's channel of the moment at every call. */
export function createPeerClient(deps: PeerClientDeps, id: string): MeshPeerClient {
  const { mesh } = deps;
  const ask = createAsk(deps, id);
  return {
    ...createPeerCommands(deps, ask, id),
    describe: (signal) => ask(mesh.Describe, {}, descriptionFromWire, DEADLINE_MS, signal),
    submit({ task, idempotencyKey, spec, writs }) {
      const request = { task, idempotencyKey, spec: specToWire(spec), writs };
      return ask(mesh.Submit, request, (answer): PeerSubmitAnswer => {
        if (answer.task === undefined) return { accepted: false, decision: refusalFromWire(answer.decision) };
        return { accepted: true, state: taskFromWire(answer.task).state };
      });
    },
    renew: (task, extensions) => ask(mesh.RenewWrit, { task, extensions: [...extensions] }, renewalFromWire),
    reply: (task, reply) =>
      ask(mesh.Reply, replyToWire(task, reply), (answer) => takenFromWire(reply.question, answer)),
    async cancel(task) {
      const former = deps.links.farewell(id);
      if (former) return tellFormer(deps, former, task);
      return ask(mesh.Cancel, { task }, (answer) => taskFromWire(answer.task).outcome, CANCEL_DEADLINE_MS);
    },
    readTranscript: (task, offset, limit) =>
      ask(mesh.ReadTranscript, { task, offset, limit }, ({ data, next, end }) => ({
        data,
        next: readCount('next', next),
        end,
      })),
    getTask: (task) => ask(mesh.GetTask, { task }, (answer) => taskFromWire(answer.task)),
    listTasks: ({ limit, before }) =>
      ask(mesh.ListTasks, { limit, ...given('before', before) }, (answer) => answer.tasks.map(taskFromWire)),
    checkPolicy: (question, signal) =>
      ask(mesh.CheckPolicy, question, (answer) => decisionFromWire(answer.decision), DEADLINE_MS, signal),
    getResult: (task) => getResult(deps, ask, id, task),
    fetch: (task, sha256, offset, signal) => fetchContent(deps, id, { task, sha256, offset }, signal),
    async acknowledge(receipts) {
      const stored: string[] = [];
      for (const batch of receiptBatches(receipts)) {
        const answer = await ask(mesh.AckResult, { receipts: batch }, (said) => acknowledgedFromWire(said, batch));
        stored.push(...answer);
      }
      return stored;
    },
    requestLease: (request) => ask(mesh.RequestLease, leaseRequestToWire(request), leaseAnswerFromWire),
    endSession: (statement) => ask(mesh.EndSession, { statement }, () => undefined),
    workspaceCommits: (workspace) => ask(mesh.DescribeWorkspace, { workspace }, commitsFromWire),
    upload: (input, data, signal) => uploadInput(deps, id, inputToWire(input, data), signal),
    watch: (task, afterSeq, signal) => watchTask(deps, id, { task, afterSeq }, signal),
  };
}

/** Tells a former peer to end a task; what it answers is not taken. */
async function tellFormer({ mesh, clock }: PeerClientDeps, peer: Link, task: string): Promise<undefined> {
  const bounds = { deadlineMs: DEADLINE_MS, signal: peer.signal, clock, peer };
  try {
    await callUnary(peer.client, mesh.Cancel, { task }, bounds);
  } catch (error) {
    throw failureOf(error, peer);
  }
}

async function* watchTask(
  { links, mesh, clock }: PeerClientDeps,
  id: string,
  request: { readonly task: string; readonly afterSeq: number },
  signal: AbortSignal,
): AsyncGenerator<WatchedEvent> {
  const link = links.use(id);
  const bounds = { deadlineMs: DEADLINE_MS, signal: AbortSignal.any([signal, link.signal]), clock, peer: link };
  let seq = request.afterSeq;
  try {
    for await (const message of callStream(link.client, mesh.Watch, request, bounds)) {
      const watched = converted(link, () => eventFromWire(message));
      seq += 1;
      if (watched.event.seq !== seq) {
        throw garbageFrom(link.label, new WritError('BAD_REQUEST', `event ${watched.event.seq} in place of ${seq}`));
      }
      yield watched;
    }
    links.note(id, undefined);
  } catch (error) {
    // Whoever stopped watching knows that.
    if (signal.aborted) return;
    throw noted(links, link, error);
  }
}
