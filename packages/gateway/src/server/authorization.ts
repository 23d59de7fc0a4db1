import type { IncomingMessage } from 'node:http';
import { type Clock, WritError } from '@writ/core';
import type { Authenticator } from '../ports.ts';
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

/** A gatekeeper for one listener. Right tokens are never slowed down by wrong ones. */
export function createGatekeeper(authenticator: Authenticator, clock: Clock): Gatekeeper {
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
      const caller = token === undefined ? undefined : authenticator.authenticate(token);
      if (caller !== undefined) return caller;
      if (!takeFailure()) throw new WritError('RATE_LIMITED', 'too many calls with a token that is not accepted');
      throw new WritError('TOKEN_INVALID', 'the token is not accepted', {
        nextSteps: ['use the writ command as the user who started the node'],
      });
    },
  };
}

function bearerToken(header: string | undefined): string | undefined {
  const match = /^Bearer ([\w.~+/=-]+)$/i.exec(header ?? '');
  const token = match?.[1];
  return token === undefined || token.length > LONGEST_TOKEN ? undefined : token;
}
