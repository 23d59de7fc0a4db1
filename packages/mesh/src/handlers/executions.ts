import { createSignerCache } from '@writ/identity';
import type {
  CancelExecutionRequest,
  CancelExecutionResponse,
  ExecuteRequest,
  ExecuteResponse,
  WatchExecutionRequest,
  WatchExecutionResponse,
} from '@writ/wire';
import { answerToWire, executionToWire, watchedToWire } from '../convert/execution.ts';
import { readCount, readId } from '../convert/fields.ts';
import { wishFromWire } from '../convert/wish.ts';
import type { UnaryHandler } from '../server/adapt-handler.ts';
import type { OwnExecutionHandler, OwnExecutionStreamHandler } from '../server/own-execution.ts';
import { verifyCallersChain } from './caller-chain.ts';
import { callingPeer, type HandlerDeps } from './handler-deps.ts';

/** Takes a gated command or a plan, or says why not. */
export function createExecute(deps: HandlerDeps): UnaryHandler<ExecuteRequest, ExecuteResponse> {
  const signers = createSignerCache();
  return async (context, request) => {
    const from = callingPeer(context);
    const id = readId('id', request.id);
    const wish = wishFromWire(request);
    const chain = verifyCallersChain(deps, from, request.writs, signers);
    const answer = await deps.commands.ask({ kind: 'peer', id: from, chain }, wish, id, context.signal);
    if (!answer.accepted) context.chargeRefusal?.();
    return answerToWire(answer);
  };
}

export const watchExecution: OwnExecutionStreamHandler<WatchExecutionRequest, WatchExecutionResponse> =
  async function* watch(own, request, { signal }) {
    const offset = readCount('offset', request.offset);
    for await (const item of own.watch(offset, signal)) yield watchedToWire(item);
  };

export const cancelExecution: OwnExecutionHandler<CancelExecutionRequest, CancelExecutionResponse> = async (
  own,
  _,
  { signal },
) => ({ execution: executionToWire(await own.cancel(signal)) });
