import { isWritError, quote, WritError } from '@writ/core';
import type { Executor } from '@writ/delegation';
import type {
  AckResultRequest,
  AckResultResponse,
  FetchArtifactRequest,
  FetchArtifactResponse,
  GetResultRequest,
  GetResultResponse,
} from '@writ/wire';
import { readCount, readDigest } from '../convert/fields.ts';
import { resultToWire, type SignedReceipt } from '../convert/result.ts';
import type { OwnTaskHandler, OwnTaskListHandler, OwnTaskStreamHandler } from '../server/own-task.ts';

/** Bytes of one message of `FetchArtifact`; the node holds two of them, however much there is. */
const PIECE_BYTES = 256 * 1024;

/** The handlers over the results of the tasks that the calling peer sent here. */
export interface ResultHandlers {
  readonly getResult: OwnTaskHandler<GetResultRequest, GetResultResponse>;
  readonly fetchArtifact: OwnTaskStreamHandler<FetchArtifactRequest, FetchArtifactResponse>;
  readonly ackResult: OwnTaskListHandler<SignedReceipt, AckResultRequest, AckResultResponse>;
}

/** What may be read under the name of a task is decided by its result, in the executor. */
export function createResultHandlers(
  executor: Pick<Executor, 'result' | 'readContent' | 'acknowledge'>,
): ResultHandlers {
  /** A receipt that is not the sender's, or for no result of this task, is left out. */
  function isStored(task: string, envelope: Uint8Array): boolean {
    try {
      executor.acknowledge(task, envelope);
      return true;
    } catch (error) {
      if (isWritError(error, 'NOT_FOUND') || isWritError(error, 'EVIDENCE_INVALID')) return false;
      throw error;
    }
  }

  return {
    async getResult({ id }) {
      const result = executor.result(id);
      if (result === undefined) throw new WritError('NOT_FOUND', `task ${quote(id)} has no signed result`);
      return resultToWire(result);
    },

    async *fetchArtifact({ id }, request) {
      const sha256 = readDigest('sha256', request.sha256);
      let offset = readCount('offset', request.offset);
      const read = (): Promise<Uint8Array> => {
        const piece = executor.readContent(id, sha256, offset, PIECE_BYTES);
        // Whoever leaves before it is awaited does not ask what became of it.
        piece.catch(() => undefined);
        return piece;
      };
      for (let data = await read(); data.length > 0; ) {
        offset += data.length;
        const next = read();
        yield { data };
        data = await next;
      }
    },

    ackResult: async (receipts) => ({
      tasks: receipts.filter(({ task, item }) => isStored(task.id, item.envelope)).map(({ task }) => task.id),
    }),
  };
}
