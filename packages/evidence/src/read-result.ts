import { parseEnvelope } from './dsse.ts';
import type { Result } from './result-schema.ts';
import { parseStatement } from './statement.ts';

/**
 * The result inside an envelope, well-formed and nothing more: nobody's signature is looked at. For what this node has
 * signed or verified itself, and for learning which task an envelope claims to be about. Throws EVIDENCE_INVALID.
 */
export function readResult(envelope: Uint8Array): Result {
  return parseStatement(parseEnvelope(envelope).payload);
}
