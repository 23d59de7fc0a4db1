import { quote, WritError } from '@writ/core';
import type { Task } from '@writ/delegation';
import type {
  CancelRequest,
  CancelResponse,
  GetTaskRequest,
  GetTaskResponse,
  ListTasksRequest,
  ListTasksResponse,
  ReadTranscriptRequest,
  ReadTranscriptResponse,
  WatchRequest,
  WatchResponse,
} from '@writ/wire';
import { eventToWire } from '../convert/event.ts';
import { given, readCount, readId } from '../convert/fields.ts';
import { taskToWire } from '../convert/task.ts';
import type { StreamHandler, UnaryHandler } from '../server/adapt-handler.ts';
import type { CallContext } from '../server/call-context.ts';
import { callingPeer, type HandlerDeps } from './handler-deps.ts';

const DEFAULT_PAGE = 50;
const MAX_PAGE = 200;
/** Transcript bytes of one answer. */
const MAX_TRANSCRIPT_BYTES = 1024 * 1024;

/** The handlers over the tasks that the calling peer sent here. */
export interface TaskHandlers {
  readonly getTask: UnaryHandler<GetTaskRequest, GetTaskResponse>;
  readonly listTasks: UnaryHandler<ListTasksRequest, ListTasksResponse>;
  readonly readTranscript: UnaryHandler<ReadTranscriptRequest, ReadTranscriptResponse>;
  readonly cancel: UnaryHandler<CancelRequest, CancelResponse>;
  readonly watch: StreamHandler<WatchRequest, WatchResponse>;
}

/** Every one of them looks the task up through `own`. */
export function createTaskHandlers({ executor }: Pick<HandlerDeps, 'executor'>): TaskHandlers {
  /** INVARIANT: another sender's task and one that is none are the same to the caller. */
  function own(context: CallContext, value: string): Task {
    const id = readId('task', value);
    const task = executor.get(id);
    if (task === undefined || task.sender !== callingPeer(context)) {
      throw new WritError('NOT_FOUND', `no task ${quote(id)} of yours here`);
    }
    return task;
  }

  return {
    getTask: async (context, request) => ({ task: taskToWire(own(context, request.task)) }),

    async listTasks(context, request) {
      const limit = readCount('limit', request.limit, MAX_PAGE) || DEFAULT_PAGE;
      const before = request.before === '' ? undefined : readId('before', request.before);
      const tasks = executor.list({ sender: callingPeer(context), limit, ...given('before', before) });
      return { tasks: tasks.map(taskToWire) };
    },

    async readTranscript(context, request) {
      const { id } = own(context, request.task);
      const offset = readCount('offset', request.offset);
      const limit = readCount('limit', request.limit, MAX_TRANSCRIPT_BYTES) || MAX_TRANSCRIPT_BYTES;
      return { ...(await executor.readTranscript(id, offset, limit)) };
    },

    async cancel(context, request) {
      const { id } = own(context, request.task);
      return { task: taskToWire(await executor.cancel(id, callingPeer(context))) };
    },

    async *watch(context, request) {
      const { id } = own(context, request.task);
      const afterSeq = readCount('after_seq', request.afterSeq);
      for await (const watched of executor.watch(id, afterSeq, context.signal)) yield eventToWire(id, watched);
    },
  };
}
