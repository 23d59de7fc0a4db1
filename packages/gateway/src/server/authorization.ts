import type { IncomingMessage } from 'node:http';
import { type Clock, WritError } from '@writ/core';
import type { Authenticator, Sessions } from '../ports.ts';
import type { Caller } from '../types.ts';

/** Wrong tokens that are answered at once before they are slowed down. */
const BURST = 20;
/** Wrong tokens a second after that. */
const PER_SECOND = 5;
/** Longest token that is looked at, characters. */
const LONGEST_TOKEN = 512;

/** Proves the caller of each request from its bearer token. */
export interface Gatekeeper {
  /** Throws TOKEN_INVALID, in the same words whatever is wrong, and RATE_LIMITED after too many of those. */
  admit(request: IncomingMessage): Caller;
}

/** Header with the credential of a session, beside the token: the token says who may, this one for which work. */
const SESSION_HEADER = 'writ-session';

/**
 * A gatekeeper for one listener. Right tokens are never slowed down by wrong ones. Without `sessions` no call belongs to
 * a session by a credential of its own.
 */
export function createGatekeeper(
  authenticator: Authenticator,
  clock: Clock,
  sessions?: Pick<Sessions, 'find'>,
): Gatekeeper {
  let left = BURST;
  let countedAtMs = clock.monotonicMs();
  const takeFailure = (): boolean => {
    const nowMs = clock.monotonicMs();
    left = Math.min(BURST, left + ((nowMs - countedAtMs) / 1000) * PER_SECOND);
    countedAtMs = nowMs;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
  return {
    admit(request) {
      const token = bearerToken(request.headers.authorization);
      const proved = token === undefined ? undefined : authenticator.authenticate(token);
      const caller = proved && inSession(proved, request.headers[SESSION_HEADER], sessions);
      if (caller !== undefined) return caller;
      if (!takeFailure()) throw new WritError('RATE_LIMITED', 'too many calls with a token that is not accepted');
      throw new WritError('TOKEN_INVALID', 'the token is not accepted', {
        nextSteps: [
          'use the writ command as the user who started the node',
          'unset WRIT_SESSION where that session has ended',
          'where the token file of the node was changed: writ down, then: writ up',
        ],
      });
    },
  };
}

/**
 * INVARIANT: 7 the session comes from its credential; one that proves nothing is refused like any wrong token, and a task
 * has the session of its own token only.
 */
function inSession(
  caller: Caller,
  credential: string | readonly string[] | undefined,
  sessions: Pick<Sessions, 'find'> | undefined,
): Caller | undefined {
  if (credential === undefined) return caller;
  if (typeof credential !== 'string' || credential.length > LONGEST_TOKEN || caller.kind !== 'host') return undefined;
  const session = sessions?.find(credential);
  return session && { kind: 'host', session };
}

function bearerToken(header: string | undefined): string | undefined {
  const match = /^Bearer ([\w.~+/=-]+)$/i.exec(header ?? '');
  const token = match?.[1];
  return token === undefined || token.length > LONGEST_TOKEN ? undefined : token;
}
