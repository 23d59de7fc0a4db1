import { COMMAND_LINE } from '@writ/authority';
import type { SessionRetry, Sessions } from '../ports.ts';
import type { Caller, SessionRef } from '../types.ts';

/**
 * The session of a call. One without a session gets one of its own: nothing that is opened for it reaches another but
 * its own retry, which is known by `retry`: what is called, and the caller's key for it.
 */
export function ownSession(
  { sessions }: { readonly sessions: Pick<Sessions, 'startForCall'> },
  caller: Caller,
  retry?: SessionRetry,
): SessionRef {
  if (caller.kind === 'task') return caller.session;
  return caller.session ?? sessions.startForCall(caller.agent ?? COMMAND_LINE, retry);
}

/** What a call is known by when it is made again; undefined: it has no key. */
export function retryOf(operation: string, key: string | undefined): SessionRetry | undefined {
  return key === undefined ? undefined : { operation, key };
}
