import { type Clock, WritError } from '@writ/core';
import type { PeerClient, PeerSubmitAnswer, WatchedEvent } from '@writ/delegation';
import type { Init, MeshService, Method } from '@writ/wire';
import { decisionFromWire, type RemoteDecision, refusalFromWire } from '../convert/decision.ts';
import { descriptionFromWire, type PeerDescription } from '../convert/description.ts';
import { eventFromWire } from '../convert/event.ts';
import { given, readCount } from '../convert/fields.ts';
import { specToWire } from '../convert/spec.ts';
import { type RemoteTask, taskFromWire } from '../convert/task.ts';
import { callStream, callUnary } from './calls.ts';
import { failureOf, garbageFrom } from './failure.ts';
import type { Link, Links } from './links.ts';

/** Time for an answer, milliseconds; longer where the peer has to end a process tree first. */
const DEADLINE_MS = 10_000;
const CANCEL_DEADLINE_MS = 60_000;

/** Everything that can be asked of one peer. Methods throw UNREACHABLE, or what the peer said. */
export interface MeshPeerClient extends PeerClient {
  describe(): Promise<PeerDescription>;
  checkPolicy(question: {
    readonly profile?: string;
    readonly runner?: string;
    readonly workspace?: string;
  }): Promise<RemoteDecision>;
  getTask(task: string): Promise<RemoteTask>;
  /** Tasks that this node sent there, newest first. */
  listTasks(page: { readonly limit: number; readonly before?: string }): Promise<readonly RemoteTask[]>;
}

interface PeerClientDeps {
  readonly links: Links;
  readonly mesh: MeshService;
  readonly clock: Clock;
}

/** The client of one peer; it finds the peer's channel of the moment at every call. */
export function createPeerClient(deps: PeerClientDeps, id: string): MeshPeerClient {
  const { mesh } = deps;
  const ask = createAsk(deps, id);
  return {
    describe: () => ask(mesh.Describe, {}, descriptionFromWire),
    submit({ task, idempotencyKey, spec, writs }) {
      const request = { task, idempotencyKey, spec: specToWire(spec), writs };
      return ask(mesh.Submit, request, (answer): PeerSubmitAnswer => {
        if (answer.task === undefined) return { accepted: false, decision: refusalFromWire(answer.decision) };
        return { accepted: true, state: taskFromWire(answer.task).state };
      });
    },
    cancel: (task) => ask(mesh.Cancel, { task }, (answer) => taskFromWire(answer.task).outcome, CANCEL_DEADLINE_MS),
    readTranscript: (task, offset, limit) =>
      ask(mesh.ReadTranscript, { task, offset, limit }, ({ data, next, end }) => ({
        data,
        next: readCount('next', next),
        end,
      })),
    getTask: (task) => ask(mesh.GetTask, { task }, (answer) => taskFromWire(answer.task)),
    listTasks: ({ limit, before }) =>
      ask(mesh.ListTasks, { limit, ...given('before', before) }, (answer) => answer.tasks.map(taskFromWire)),
    checkPolicy: (question) => ask(mesh.CheckPolicy, question, (answer) => decisionFromWire(answer.decision)),
    watch: (task, afterSeq, signal) => watchTask(deps, id, { task, afterSeq }, signal),
  };
}

/** One call with its conversion; what became of it is noted on the link. */
function createAsk({ links, clock }: PeerClientDeps, id: string) {
  return async <Request, Response, Result>(
    method: Method<Request, Response>,
    request: Init<Request>,
    convert: (response: Response) => Result,
    deadlineMs: number = DEADLINE_MS,
  ): Promise<Result> => {
    const link = links.use(id);
    let response: Response;
    try {
      response = await callUnary(link.client, method, request, {
        deadlineMs,
        signal: link.signal,
        clock,
        peer: link,
      });
    } catch (error) {
      throw noted(links, link, error);
    }
    links.note(id, undefined);
    return converted(link, () => convert(response));
  };
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

function noted(links: Links, link: Link, thrown: unknown): WritError {
  const error = failureOf(thrown, link);
  links.note(link.id, error);
  return error;
}

function converted<T>(link: Link, convert: () => T): T {
  try {
    return convert();
  } catch (error) {
    throw garbageFrom(link.label, error);
  }
}
