import { foldName, quote, visible, WritError } from '@writ/core';

/** Longest identifier (task, idempotency key, session, agent), characters. */
const LONGEST_ID = 256;
/** Longest piece of text that is meant for a person, characters. */
const LONGEST_TEXT = 4096;
/** Most steps of a peer that are told, and longest of them, characters. */
const MAX_STEPS = 8;
const LONGEST_STEP = 300;
/** The end of the year 9999, milliseconds since the epoch: no later time is written as a date by everybody. */
const LAST_MS = 253_402_300_799_999;
/** Longest duration, milliseconds: a hundred years, beyond which nobody means a time. */
const LONGEST_MS = 36_525 * 86_400_000;

/** Throws BAD_REQUEST about a field of a message. */
export function refuseField(field: string, why: string): never {
  throw new WritError('BAD_REQUEST', `${field}: ${why}`);
}

/** An identifier that somebody else minted: printable ASCII without spaces, compared exactly. */
export function readId(field: string, value: string): string {
  if (value.length === 0) return refuseField(field, 'is missing');
  if (value.length > LONGEST_ID) return refuseField(field, `is longer than ${LONGEST_ID} characters`);
  if (!/^[\x21-\x7e]+$/.test(value)) return refuseField(field, `${quote(value)} is no id`);
  return value;
}

/** A name, folded; empty means not given. */
export function readName(field: string, value: string): string | undefined {
  if (value === '') return undefined;
  return foldName(value) ?? refuseField(field, `${quote(value)} is no name`);
}

/** A whole number from 0 to `max`; a 64-bit number beyond 2^53 is refused. */
export function readCount(field: string, value: number, max: number = Number.MAX_SAFE_INTEGER): number {
  if (!Number.isSafeInteger(value) || value < 0 || value > max) {
    return refuseField(field, `${value} is not a whole number from 0 to ${max}`);
  }
  return value;
}

/** A time in milliseconds since the epoch, which a date can be made of; 0 means not given. */
export function readTime(field: string, value: number): number {
  return readCount(field, value, LAST_MS);
}

/** A duration in milliseconds; 0 means not given. */
export function readDuration(field: string, value: number, max: number = LONGEST_MS): number {
  return readCount(field, value, max);
}

/** Bytes, at most `max` of them. */
export function readBytes(field: string, value: Uint8Array, max: number): Uint8Array {
  if (value.length > max) return refuseField(field, `is longer than ${max} bytes`);
  return value;
}

/** A SHA-256 in lower-case hex. */
export function readDigest(field: string, value: string): string {
  return /^[0-9a-f]{64}$/.test(value) ? value : refuseField(field, `${quote(value)} is no digest`);
}

/** A full id of a git object, of either object format. */
export function readObjectId(field: string, value: string): string {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value) ? value : refuseField(field, `${quote(value)} is no full id`);
}

/** Text of another node for a person or a log: bounded, and nothing in it moves a cursor. Empty means not given. */
export function readText(value: string): string | undefined {
  if (value === '') return undefined;
  return visible(value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value);
}

/**
 * A message of another node with what it says would help, as words of that node: they are no steps of this one, which are
 * typed and followed as they stand.
 */
export function withItsSteps(message: string, steps: readonly string[]): string {
  const words = steps.slice(0, MAX_STEPS).flatMap((step) => {
    const text = visible(step.length > LONGEST_STEP ? `${step.slice(0, LONGEST_STEP)}…` : step).trim();
    return text === '' ? [] : [`"${text}"`];
  });
  return words.length === 0 ? message : `${message}; it adds: ${words.join(', ')}`;
}

/** A code of another node, which may be newer than this one and know more codes; empty means not given. */
export function readCode(field: string, value: string): string | undefined {
  if (value === '') return undefined;
  return /^[A-Z][A-Z_]{0,63}$/.test(value) ? value : refuseField(field, `${quote(value)} is no code`);
}

/** Names, folded, at most `max` of them. */
export function readNames(field: string, values: readonly string[], max: number): readonly string[] {
  if (values.length > max) return refuseField(field, `has more than ${max} entries`);
  return values.map((value) => readName(field, value) ?? refuseField(field, 'has an empty entry'));
}

/** An absent value where `value` is empty or zero: how the wire says "not given". */
export function given<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined || value === '' || value === 0 ? {} : ({ [key]: value } as { readonly [P in K]?: V });
}
