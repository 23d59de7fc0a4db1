import { isWritError, WritError } from '@writ/core';
import type { EndSessionRequest, EndSessionResponse } from '@writ/wire';
import { readBytes } from '../convert/fields.ts';
import type { UnaryHandler } from '../server/adapt-handler.ts';
import { callingPeer, type HandlerDeps } from './handler-deps.ts';

/** Longest statement that is looked at, bytes. */
const MOST_BYTES = 64 * 1024;

/** Takes the end of a session. Whose session it is, the statement proves; whether it is any news here, the origin knows. */
export function createEndSession({
  endSession,
}: Pick<HandlerDeps, 'endSession'>): UnaryHandler<EndSessionRequest, EndSessionResponse> {
  return async (context, { statement }) => {
    try {
      endSession(callingPeer(context), readBytes('statement', statement, MOST_BYTES));
    } catch (error) {
      if (!isWritError(error, 'EVIDENCE_INVALID')) throw error;
      // A peer is told what it sent, not how it was looked at.
      throw new WritError('BAD_REQUEST', 'statement: is not signed by the node where the session began', {
        cause: error,
      });
    }
    return {};
  };
}
