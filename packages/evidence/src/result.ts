import { canonicalJson, holdsMoreValues, type Json, readCanonicalJson, type WritCode, WritError } from '@writ/core';
import { MOST_STATEMENT_VALUES, type Result, readResultData } from './result-schema.ts';

/** Longest `result.v1.json`, and statement about one, bytes. */
export const LONGEST_RESULT = 64 * 1024 * 1024;

/** The bytes of `result.v1.json`: canonical JSON. Throws EVIDENCE_FAILED where it is none. */
export function formatResult(result: Result): Buffer {
  return encodeResult(checked(result, 'EVIDENCE_FAILED'));
}

/** As `formatResult`, for a result that was checked. */
export function encodeResult(result: Result): Buffer {
  const bytes = Buffer.from(canonicalJson(result as Json));
  if (bytes.length > LONGEST_RESULT) throw new WritError('EVIDENCE_FAILED', 'the result is too long');
  return bytes;
}

/** Reads `result.v1.json`; there is one spelling of it. Throws EVIDENCE_INVALID saying what is wrong. */
export function parseResult(bytes: Uint8Array): Result {
  return checkResult(parseCanonical(bytes, 'result', { bytes: LONGEST_RESULT, values: MOST_STATEMENT_VALUES }));
}

/** Data as a result. Throws EVIDENCE_INVALID. */
export function checkResult(value: unknown): Result {
  return checked(value, 'EVIDENCE_INVALID');
}

/** How much of what a node has signed is looked at. */
interface Bounds {
  readonly bytes: number;
  readonly values: number;
}

/**
 * JSON in its one spelling, or EVIDENCE_INVALID naming `what`. Who sent it may be anybody: it is measured and counted before it is read.
 */
export function parseCanonical(bytes: Uint8Array, what: string, most: Bounds): Json {
  if (bytes.length > most.bytes) throw refuse(`${what}: it is longer than ${most.bytes} bytes`);
  if (holdsMoreValues(bytes, most.values)) throw refuse(`${what}: it holds more than ${most.values} values`);
  const value = readCanonicalJson(bytes);
  if (value === undefined) throw refuse(`${what}: it is not canonical json`);
  return value;
}

function refuse(why: string): WritError {
  return new WritError('EVIDENCE_INVALID', why);
}

function checked(value: unknown, code: WritCode): Result {
  const read = readResultData(value);
  if ('field' in read) {
    throw new WritError(code, `result: ${read.field}: ${read.message}`, { details: { field: read.field } });
  }
  const fault = contradiction(read);
  if (fault !== undefined) throw new WritError(code, `result: ${fault}`);
  return read;
}

function endedWell(exit: NonNullable<Result['exit']>): boolean {
  return exit.kind === 'dismissed' || (exit.kind === 'exit' && exit.exitCode === 0);
}

/** What the shape alone cannot say. */
function contradiction(result: Result): string | undefined {
  const { outcome, changes, writs, chain } = result;
  const succeeded = outcome.state === 'completed';
  // INVARIANT: 10 evidence that could not be collected is never beside a success.
  if (succeeded && changes.kind === 'uncollected') return 'a success without evidence';
  if (succeeded !== (outcome.code === null)) return 'a success has no code, everything else has one';
  if (succeeded && result.exit !== null && !endedWell(result.exit)) {
    return 'a success whose process did not end well';
  }
  if (result.unseparated && result.approvals.length === 0 && result.lease === null) {
    return 'unseparated, and nobody decided anything';
  }
  if (new Set(result.approvals.map((one) => one.id)).size !== result.approvals.length)
    return 'an approval is named twice';
  if (writs.length !== chain.length) return 'as many writs as identities in the chain';
  const folded = [...chain, result.node].map((id) => id.toLowerCase());
  if (new Set(folded).size !== folded.length) return 'an identity is in the chain twice';
  if ((chain[0] ?? result.node) !== result.origin) return 'the chain does not begin at the origin';
  if (new Set(result.artifacts.map((one) => one.name)).size !== result.artifacts.length) {
    return 'two artifacts have one name';
  }
  return undefined;
}
