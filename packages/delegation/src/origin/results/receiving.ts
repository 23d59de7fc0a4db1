import { nextTurn, sha256Hex } from '@writ/core';
import { type Result, readResult, type VerifiedTree, verifyEnvelope, verifyTree } from '@writ/evidence';
import type { Mirror, TaskOutcome } from '@writ/task-store';
import type { OutputEnd } from '../keeping-output.ts';
import type { OriginParts } from '../parts.ts';
import { checkOutcome, checkRequest, checkTranscript, expectedNonce } from './agreement.ts';
import type { Source } from './download.ts';
import { invalid } from './faults.ts';
import type { Intake } from './intake.ts';
import { checkSizes, namedIn } from './named.ts';

const DIGEST = /^[0-9a-f]{64}$/;
/** Most results nested in one. */
const MOST_NESTED = 1000;
/** All nested envelopes together may be so many times as large as one. */
const NESTED_SHARE = 4;

/** The end of a task as its executor told it. */
export interface Told {
  readonly mirror: Mirror;
  readonly outcome: TaskOutcome;
  /** The envelope, where it came along. Not checked. */
  readonly inline?: Uint8Array;
  /** Where the output that came ends, bytes. */
  readonly outputEnd: OutputEnd;
}

/** A result that is here whole. */
export interface ReceivedTree {
  readonly tree: VerifiedTree;
  /** Every envelope of the tree, by its digest. */
  readonly envelopes: ReadonlyMap<string, Uint8Array>;
}

/**
 * Brings a result here and checks all of it, one step after the other; a later try goes on where the last one broke off.
 * Undefined where the source's signal aborts. Throws EVIDENCE_INVALID with the check that fails; what the client throws;
 * DATABASE_ERROR where this node cannot keep it.
 * INVARIANT: 10 nothing is called a success before everything that was signed is here and fits.
 */
export async function receiveResult(
  parts: OriginParts,
  intake: Intake,
  told: Told,
  from: Source,
): Promise<ReceivedTree | undefined> {
  const envelope = await takeEnvelope(parts, intake, told, from);
  if (!envelope) return undefined;
  const check = {
    envelope,
    expected: { task: told.mirror.id, nonce: expectedNonce(parts, told.mirror) },
    trust: parts.evidence.trust,
    nowMs: parts.database.nowMs(),
  };
  const verified = verifyEnvelope(check);
  const { result } = verified;
  checkRequest(parts, told.mirror, result);
  checkOutcome(result, told.outcome);
  checkSizes(result, parts.evidence.limits);
  await checkTranscript(parts, told.mirror, result, told.outputEnd);
  const nested = await takeNested(parts, intake, result, from);
  if (!nested) return undefined;
  const tree = await verifyTree({ ...check, verified, find: (sha256) => nested.get(sha256) });
  for (const named of namedIn(result, parts.evidence.limits)) {
    if (!(await intake.content(named, from))) return undefined;
  }
  return { tree, envelopes: new Map([[tree.sha256, envelope], ...nested]) };
}

async function takeEnvelope(
  { evidence }: OriginParts,
  intake: Intake,
  { outcome, inline }: Told,
  from: Source,
): Promise<Uint8Array | undefined> {
  const { result: sha256 } = outcome;
  if (sha256 === undefined) throw invalid('form', 'its node has signed none');
  if (!DIGEST.test(sha256)) throw invalid('form', 'what names it is no digest');
  const maxBytes = evidence.limits.maxEnvelopeBytes;
  if (inline === undefined) return intake.envelope({ name: 'envelope', sha256, maxBytes }, from);
  if (inline.length > maxBytes) throw invalid('envelope', `it is longer than ${maxBytes} bytes`);
  if (sha256Hex(inline) !== sha256) throw invalid('envelope', 'it is not the one that its task was ended with');
  intake.keep({ sha256, envelope: inline });
  return inline;
}

/** Every envelope below, level by level; nothing of them is believed yet. */
async function takeNested(
  { evidence }: OriginParts,
  intake: Intake,
  top: Pick<Result, 'children'>,
  from: Source,
): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
  const nested = new Map<string, Uint8Array>();
  const { maxEnvelopeBytes } = evidence.limits;
  let bytesLeft = NESTED_SHARE * maxEnvelopeBytes;
  const waiting = [top];
  for (let above = waiting.pop(); above; above = waiting.pop()) {
    for (const child of above.children) {
      if (nested.has(child.envelope)) continue;
      if (nested.size >= MOST_NESTED) throw invalid('children', `there are more than ${MOST_NESTED}`);
      const maxBytes = Math.min(maxEnvelopeBytes, bytesLeft);
      const wanted = { name: `child/${child.task}`, sha256: child.envelope, maxBytes };
      const envelope = await intake.envelope(wanted, from);
      if (!envelope) return undefined;
      bytesLeft -= envelope.length;
      nested.set(child.envelope, envelope);
      // One may take a good part of a second.
      await nextTurn();
      waiting.push(readResult(envelope));
    }
  }
  return nested;
}
