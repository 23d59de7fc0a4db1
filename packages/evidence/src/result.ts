import { canonicalJson, createValueCounter, type Json, readCanonicalJson, type WritCode, WritError } from '@writ/core';
import { faultInLists, type ResultFault } from './result-lists.ts';
import { type Result, resultSchema } from './result-schema.ts';

/** Longest `result.v1.json`, bytes. */
const LONGEST_RESULT = 64 * 1024 * 1024;
/** Most values in one: in lists as long as they may be there are fewer. */
const MOST_VALUES = 3_000_000;
/** Longest that is said of what is wrong, UTF-16 units. */
const LONGEST_REASON = 500;

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
  return checkResult(parseCanonical(bytes, 'result'));
}

/** Data as a result. Throws EVIDENCE_INVALID. */
export function checkResult(value: unknown): Result {
  return checked(value, 'EVIDENCE_INVALID');
}

/** JSON in its one spelling, of at most so many values, or EVIDENCE_INVALID naming `what`. They are counted before anything is read. */
export function parseCanonical(bytes: Uint8Array, what: string, mostValues = MOST_VALUES): Json {
  const isBounded = bytes.length <= 2 * LONGEST_RESULT && countValues(bytes) <= mostValues;
  const value = isBounded ? readCanonicalJson(bytes) : undefined;
  if (value === undefined) throw new WritError('EVIDENCE_INVALID', `${what}: it is not canonical json`);
  return value;
}

function countValues(bytes: Uint8Array): number {
  const { buffer, byteOffset, length } = bytes;
  // A character for each byte: what is counted is ASCII.
  return createValueCounter().take(Buffer.from(buffer, byteOffset, length).toString('latin1'));
}

function checked(value: unknown, code: WritCode): Result {
  const wrong = faultInLists(value);
  if (wrong !== undefined) throw faulty(code, wrong);
  const parsed = resultSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw faulty(code, { field: issue?.path.join('.') || 'result', why: issue?.message ?? '' });
  }
  const fault = contradiction(parsed.data);
  if (fault !== undefined) throw new WritError(code, `result: ${fault}`);
  return parsed.data;
}

/** Keys that do not belong there stand in the words of the schema, all of them: they are cut. */
function faulty(code: WritCode, { field, why }: ResultFault): WritError {
  const cut = `result: ${field}: ${why.toLowerCase()}`.slice(0, LONGEST_REASON);
  return new WritError(code, cut, { details: { field: field.slice(0, LONGEST_REASON) } });
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
