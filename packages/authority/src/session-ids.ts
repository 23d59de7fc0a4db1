import { type Random, sha256Hex } from '@writ/core';
import type { SessionRules } from '@writ/lease-store';

/**
 * What the ids of sessions of this node's agents begin with where a session is one call's: whoever made the call named none.
 * Nobody chooses such an id.
 */
export const OF_ONE_CALL = 'key-';

/** Hexadecimal digits of a digest that name a session: 128 bits. */
export const SESSION_DIGITS = 32;

/** What a session that has a credential begins with; ids of others do not. */
const OF_A_CREDENTIAL = 'cli-';

/** As `Random.uuid` writes them: none of the prefixes is made of such characters alone. */
const UUID = /^[0-9a-f-]{36}$/;

/** What the id of a session of this node's own says of it. `other`: the person's own, which belongs to no agent. */
export type SessionIdKind = 'of-one-call' | 'of-a-credential' | 'of-an-agent' | 'other';

export function sessionIdKind(id: string): SessionIdKind {
  if (id.startsWith(OF_ONE_CALL)) return 'of-one-call';
  if (id.startsWith(OF_A_CREDENTIAL)) return 'of-a-credential';
  return UUID.test(id) ? 'of-an-agent' : 'other';
}

/** Whether a session of this node is one call's. */
export function isOfOneCall(session: string): boolean {
  return sessionIdKind(session) === 'of-one-call';
}

/** The id of a session that nobody has named. */
export function idOfAgent(random: Pick<Random, 'uuid'>): string {
  return random.uuid();
}

/** `key`: what the call is known by. */
export function idOfCall(key: string): string {
  return `${OF_ONE_CALL}${key}`;
}

/** Half of the SHA-256 of the credential, so that nothing but the hash is kept. */
export function idOfCredential(credential: string): string {
  return `${OF_A_CREDENTIAL}${sha256Hex(credential).slice(0, SESSION_DIGITS)}`;
}

/** What the record of one of this node's own is needed for, by the kind of its id. */
const OWN: Readonly<Record<SessionIdKind, SessionRules>> = {
  'of-one-call': { isRecordedAnew: true, staysEnded: false, isOfOneCall: true },
  // Its record is what the credential proves: without it there is no session, before its end or after.
  'of-a-credential': { isRecordedAnew: false, staysEnded: true, isOfOneCall: false },
  'of-an-agent': { isRecordedAnew: true, staysEnded: false, isOfOneCall: false },
  other: { isRecordedAnew: false, staysEnded: false, isOfOneCall: false },
};

/** What the record of a session is needed for. `self`: this node's id. */
export function sessionRules(self: string, origin: string, id: string): SessionRules {
  const kind = sessionIdKind(id);
  if (origin === self) return OWN[kind];
  // A writ lives for an hour: nothing can come in one of another node's that ended long ago.
  return { isRecordedAnew: true, staysEnded: true, isOfOneCall: kind === 'of-one-call' };
}
