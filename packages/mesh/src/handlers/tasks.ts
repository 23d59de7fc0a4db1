import type { Executor } from '@writ/delegation';
import type {
  CancelRequest,
  CancelResponse,
  GetTaskRequest,
  GetTaskResponse,
  ListTasksRequest,
  ListTasksResponse,
  ReadTranscriptRequest,
  ReadTranscriptResponse,
  RenewWritRequest,
  RenewWritResponse,
  ReplyRequest,
  ReplyResponse,
  WatchRequest,
  WatchResponse,
} from '@writ/wire';
import { eventToWire } from '../convert/event.ts';
import { given, readCount, readId } from '../convert/fields.ts';
import { extensionsFromWire, renewalToWire } from '../convert/renewal.ts';
import { taskToWire } from '../convert/task.ts';
import { replyFromWire, takenToWire } from '../convert/turn.ts';
import type { UnaryHandler } from '../server/adapt-handler.ts';
import type { OwnTaskHandler, OwnTaskStreamHandler } from '../server/own-task.ts';
import { callingPeer } from './handler-deps.ts';

const DEFAULT_PAGE = 50;
const MAX_PAGE = 200;
/** Transcript bytes of one answer. */
const MAX_TRANSCRIPT_BYTES = 1024 * 1024;

/** The handlers over the tasks that the calling peer sent here. */
export interface TaskHandlers {
  readonly getTask: OwnTaskHandler<GetTaskRequest, GetTaskResponse>;
  readonly listTasks: UnaryHandler<ListTasksRequest, ListTasksResponse>;
  readonly readTranscript: OwnTaskHandler<ReadTranscriptRequest, ReadTranscriptResponse>;
  readonly renewWrit: OwnTaskHandler<RenewWritRequest, RenewWritResponse>;
  readonly reply: OwnTaskHandler<ReplyRequest, ReplyResponse>;
  readonly cancel: OwnTaskHandler<CancelRequest, CancelResponse>;
  readonly watch: OwnTaskStreamHandler<WatchRequest, WatchResponse>;
}

/** Without `get`: a task is given to a handler, and only to its sender's call. */
export function createTaskHandlers(
  executor: Pick<Executor, 'list' | 'readTranscript' | 'renew' | 'turns' | 'cancel' | 'watch'>,
): TaskHandlers {
  return {
    getTask: async (task) => ({ task: taskToWire(task) }),

    async listTasks(context, request) {
      const limit = readCount('limit', request.limit, MAX_PAGE) || DEFAULT_PAGE;
      const before = request.before === '' ? undefined : readId('before', request.before);
      const tasks = executor.list({ sender: callingPeer(context), limit, ...given('before', before) });
      return { tasks: tasks.map(taskToWire) };
    },

    async readTranscript({ id }, request) {
      const offset = readCount('offset', request.offset);
      const limit = readCount('limit', request.limit, MAX_TRANSCRIPT_BYTES) || MAX_TRANSCRIPT_BYTES;
      return { ...(await executor.readTranscript(id, offset, limit)) };
    },

    // INVARIANT: 3 each extension is signed by the issuer of its writ; that the last one is the caller is proved again.
    renewWrit: async ({ id }, request) => renewalToWire(await executor.renew(id, extensionsFromWire(request))),

    reply: async ({ id, sender }, request) => takenToWire(executor.turns.reply(id, replyFromWire(request), sender)),

    cancel: async ({ id, sender }) => ({ task: taskToWire(await executor.cancel(id, sender)) }),

    async *watch({ id }, request, { signal }) {
      const afterSeq = readCount('after_seq', request.afterSeq);
      for await (const watched of executor.watch(id, afterSeq, signal)) yield eventToWire(id, watched);
    },
  };
}
