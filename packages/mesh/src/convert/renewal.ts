import type { RenewAnswer } from '@writ/delegation';
import type * as wire from '@writ/wire';
import { decisionToWire, refusalFromWire } from './decision.ts';
import { readTime, refuseField } from './fields.ts';

/** Most extensions of one request: no chain is longer. */
const MAX_EXTENSIONS = 64;

/** Extensions as a peer sent them; not checked. Throws BAD_REQUEST. */
export function extensionsFromWire({ extensions }: wire.RenewWritRequest): readonly string[] {
  if (extensions.length === 0) return refuseField('extensions', 'is empty');
  if (extensions.length > MAX_EXTENSIONS) return refuseField('extensions', `has more than ${MAX_EXTENSIONS} entries`);
  return extensions;
}

/** What a renewal came to, for the wire. */
export function renewalToWire(answer: RenewAnswer): wire.Init<wire.RenewWritResponse> {
  return answer.renewed ? { expiresAtMs: answer.expiresAtMs } : { decision: decisionToWire(answer.decision) };
}

/** The same as a peer says it. Throws BAD_REQUEST. */
export function renewalFromWire(message: wire.RenewWritResponse): RenewAnswer {
  if (message.decision) return { renewed: false, decision: refusalFromWire(message.decision) };
  const expiresAtMs = readTime('expires_at_ms', message.expiresAtMs ?? 0);
  return expiresAtMs > 0 ? { renewed: true, expiresAtMs } : refuseField('answer', 'is missing');
}
