import { formatDuration, isWritError, quote, sha256Hex, WritError } from '@writ/core';
import {
  certificateDer,
  chainIssuedAt,
  type Pin,
  type SignerCache,
  type VerifiedChain,
  verifyChain,
  verifyNodeSignature,
} from '@writ/identity';
import { type Envelope, parseEnvelope, preAuthEncoding } from './dsse.ts';
import type { Result } from './result-schema.ts';
import { PAYLOAD_TYPE, parseStatement, subjectsOf } from './statement.ts';

/** How far the clocks of two nodes may differ, milliseconds. */
const SKEW_MS = 60_000;
/** Longest chain that is looked at; what is allowed to run is the policy's matter. */
const LONGEST_CHAIN = 64;

/** Who the signer is to the verifier. `vouchedBy`: the node that passed the work on to a signer who is not pinned. */
export type Standing = 'pinned' | { readonly vouchedBy: string };

/** What the verifier knows. */
export interface Trust {
  /** The verifier itself; its own results count as pinned. */
  readonly self: Pin;
  /** A pinned identity; a PinStore is one. */
  readonly pins: { get(id: string): Pin | undefined };
  /** Certificates that were proved before; absent: all are proved anew. */
  readonly signers?: SignerCache;
}

/** What a result has to be about. */
export interface Expected {
  readonly task: string;
  /** Of the last writ that the task was sent with. */
  readonly nonce: string;
  /** Digests of what was received beside the envelope, by the name of the subject: `bundle`, `diff`, `artifact/NAME`, … */
  readonly subjects?: Readonly<Record<string, string>>;
}

export interface Verified {
  readonly standing: Standing;
  readonly result: Result;
  /** SHA-256 of the envelope. */
  readonly sha256: string;
}

/**
 * Checks a signed result whole: form, certificates, signature, who signed, chain of writs, task, nonce and digests.
 * It proves who wrote it, not that it is true. Throws EVIDENCE_INVALID with `details.check` naming the failing check.
 */
export function verifyEnvelope(request: {
  readonly envelope: Uint8Array;
  readonly expected: Expected;
  readonly trust: Trust;
  readonly nowMs: number;
}): Verified {
  const { expected, trust, nowMs } = request;
  const envelope = checked('form', () => parseEnvelope(request.envelope));
  if (envelope.payloadType !== PAYLOAD_TYPE) {
    throw refuse('form', `the payload is ${quote(envelope.payloadType)}, not a statement`);
  }
  // Read before its signature is looked at, because it says when it was made; nothing is believed until then.
  const result = checked('form', () => parseStatement(envelope.payload));
  checkSignature(envelope, result, nowMs, trust);
  if (result.task !== expected.task) {
    throw refuse('task', `it is about task ${quote(result.task)}, not ${quote(expected.task)}`);
  }
  if (result.nonce !== expected.nonce) throw refuse('nonce', 'it answers another writ than the one that was sent');
  const chain = checkWrits(result, trust);
  const standing = standingOf(envelope, result, chain, trust);
  checkSubjects(result, expected.subjects ?? {});
  return { standing, result, sha256: sha256Hex(request.envelope) };
}

function checkSignature(envelope: Envelope, result: Result, nowMs: number, { signers }: Trust): void {
  const { signedAtMs } = result.times;
  if (signedAtMs > nowMs + SKEW_MS) {
    const ahead = formatDuration(Math.ceil((signedAtMs - nowMs) / 1000) * 1000);
    throw refuse('time', `it was signed in the future: the clock of its node is ${ahead} ahead of the one here`);
  }
  const check = verifyNodeSignature({
    data: preAuthEncoding(envelope.payloadType, envelope.payload),
    signature: envelope.signature,
    signingDer: envelope.signingDer,
    identityDer: envelope.identityDer,
    atMs: signedAtMs,
    ...(signers ? { signers } : {}),
  });
  if (!check.verified) throw refuse(check.field, check.message);
  if (check.id !== result.node) throw refuse('identity', `signed by ${check.id}, not by ${result.node}`);
  if (envelope.keyid !== result.node) throw refuse('identity', `keyid is ${quote(envelope.keyid)}, not ${result.node}`);
}

/** The writs inside lead to the signer and were made for this task. None: a task of the node's own. */
function checkWrits(result: Result, { signers }: Trust): VerifiedChain | undefined {
  const sender = result.chain.at(-1);
  if (sender === undefined) return undefined;
  const chain = checked('chain', () => {
    const issuedAtMs = lastIssuedAtMs(result);
    const about = { self: result.node, tlsPeer: sender, nowMs: issuedAtMs, maxChain: LONGEST_CHAIN };
    const check = { ...about, ...(signers ? { signers } : {}) };
    // Whether the verifier knows anybody in it is looked at afterwards: `standingOf`.
    return verifyChain(result.writs, check, { get: (id) => ({ id, certificatePem: '' }) });
  });
  const { last } = chain;
  if (chain.ids.join() !== result.chain.join()) throw refuse('chain', 'the writs are of another chain');
  if (last.task !== result.task) throw refuse('chain', `the last writ is for task ${quote(last.task)}`);
  if (last.nonce !== result.nonce) throw refuse('nonce', 'it is not the one of the last writ');
  if (last.origin !== result.origin || last.session !== result.session || last.agent !== result.agent) {
    throw refuse('chain', 'the writs are of another origin, session or agent');
  }
  const { startedAtMs } = result.times;
  if (startedAtMs !== null && startedAtMs > last.exp * 1000 + SKEW_MS) {
    throw refuse('chain', 'it was started after the end of its writ');
  }
  return chain;
}

/** A chain is checked for the time at which its last writ was made, or one of them was extended last. */
function lastIssuedAtMs(result: Result): number {
  const iat = chainIssuedAt(result.writs);
  if (iat === undefined) throw new WritError('WRIT_INVALID', 'the last writ does not say when it was made');
  return iat * 1000;
}

function standingOf(envelope: Envelope, result: Result, chain: VerifiedChain | undefined, trust: Trust): Standing {
  const pin = result.node === trust.self.id ? trust.self : trust.pins.get(result.node);
  if (pin !== undefined) {
    if (!certificateDer(pin.certificatePem).equals(envelope.identityDer))
      throw refuse('identity', `${result.node} is pinned by another certificate`);
    return 'pinned';
  }
  const own = chain?.hops.some((hop) => hop.iss === trust.self.id);
  if (chain === undefined || !own) {
    throw refuse('identity', `${result.node} is not pinned, and no writ leads from this node to it`);
  }
  return { vouchedBy: chain.last.iss };
}

function checkSubjects(result: Result, subjects: Readonly<Record<string, string>>): void {
  if (Object.keys(subjects).length === 0) return;
  const signed = new Map(subjectsOf(result).map(({ name, digest }) => [name, digest.sha256 ?? digest.gitCommit ?? '']));
  for (const [name, digest] of Object.entries(subjects)) {
    if (signed.get(name) !== digest) throw refuse('subject', `${quote(name)} is not what was signed`);
  }
}

function checked<T>(check: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw refuse(check, isWritError(error) ? error.message : 'it is not readable', error);
  }
}

function refuse(check: string, why: string, cause?: unknown): WritError {
  return new WritError('EVIDENCE_INVALID', `result is not verified: ${check}: ${why}`, {
    details: { check },
    ...(cause === undefined ? {} : { cause }),
  });
}
