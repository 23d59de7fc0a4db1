import { canonicalJson, type Json, sha256Hex, WritError } from '@writ/core';
import { z } from 'zod';
import { checkResult, encodeResult, formatResult, LONGEST_RESULT, parseCanonical } from './result.ts';
import { MOST_STATEMENT_VALUES, type Result } from './result-schema.ts';

/** Type of the payload of every envelope (in-toto attestation framework). */
export const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
/** What the predicate is: `result.v1.json`. */
const PREDICATE_TYPE = 'urn:writ:predicate:result.v1';

/** Something that a statement is about. */
export interface Subject {
  readonly name: string;
  readonly digest: Readonly<Record<string, string>>;
}

const schema = z.strictObject({
  _type: z.literal(STATEMENT_TYPE),
  /** What has to stand there follows from the result, to the letter. */
  subject: z.unknown(),
  predicateType: z.literal(PREDICATE_TYPE),
  predicate: z.unknown(),
});

/**
 * INVARIANT: 10 a statement is about everything that came out: head commit, bundle, diff, transcript, each artifact, the
 * results of children, and the result itself.
 */
export function subjectsOf(result: Result): readonly Subject[] {
  // First of all, because it checks the rest.
  return subjectsFrom(result, formatResult(result));
}

/** `bytes`: the one spelling of the result. */
function subjectsFrom(result: Result, bytes: Uint8Array): readonly Subject[] {
  const { changes, transcript } = result;
  const sha256 = (name: string, digest: string): Subject => ({ name, digest: { sha256: digest } });
  return [
    ...(changes.kind === 'changed'
      ? [
          { name: 'head', digest: { gitCommit: changes.head } },
          sha256('bundle', changes.bundle.sha256),
          sha256('diff', changes.patch.sha256),
        ]
      : []),
    ...(transcript === null ? [] : [sha256('transcript', transcript.sha256)]),
    ...result.artifacts.map((artifact) => sha256(`artifact/${artifact.name}`, artifact.sha256)),
    ...result.children.map((child) => sha256(`child/${child.task}`, child.envelope)),
    sha256('result.v1.json', sha256Hex(bytes)),
  ];
}

/** The in-toto Statement v1 about a result, as bytes. */
export function formatStatement(result: Result): Buffer {
  const statement = {
    _type: STATEMENT_TYPE,
    subject: subjectsOf(result),
    predicateType: PREDICATE_TYPE,
    predicate: result,
  };
  return Buffer.from(canonicalJson(statement as unknown as Json));
}

/** The result inside a statement whose subjects are exactly those of its result. Throws EVIDENCE_INVALID. */
export function parseStatement(payload: Uint8Array): Result {
  const parsed = schema.safeParse(
    parseCanonical(payload, 'statement', { bytes: LONGEST_RESULT, values: MOST_STATEMENT_VALUES }),
  );
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join('.') ?? '';
    throw new WritError('EVIDENCE_INVALID', `statement: ${field || 'form'}: it is no statement about a result`);
  }
  const result = checkResult(parsed.data.predicate);
  const wanted = canonicalJson(subjectsFrom(result, encodeResult(result)) as unknown as Json);
  // It was read from the one spelling of itself.
  if (JSON.stringify(parsed.data.subject) !== wanted) {
    throw new WritError('EVIDENCE_INVALID', 'statement: subject: it is not what the result says');
  }
  return result;
}
