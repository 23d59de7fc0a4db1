import { foldName, toWritError, WritError } from '@writ/core';
import {
  decodeInviteCode,
  type InviteCode,
  isSameMac,
  PAIRING_NONCE_BYTES,
  type PairingTranscript,
  pairingKey,
  pairingMac,
  shortWords,
} from '@writ/identity';
import { createChannel } from './channel.ts';
import { invalid, readIntroduction } from './hello.ts';
import type { PairingOptions } from './options.ts';
import type { Admission, PeerRecords } from './peer-records.ts';
import { cancelled, createStepReader, type StepReader } from './step-reader.ts';
import type { JoinEvent, RedeemClientMessage, RedeemServerMessage } from './types.ts';

/** How long the inviting node may take for each of its own messages, milliseconds. */
const STEP_MS = 15_000;
/** How far the inviter's clock may be ahead of this one, milliseconds. */
const SKEW_MS = 60_000;

/**
 * The joiner's end: dials the node that the code names, proves the secret, has the inviter prove it too, waits for the
 * inviting person, and stores the inviter as a peer that may ask for nothing here. Before `paired` nothing is stored.
 */
export async function* join(
  options: PairingOptions,
  records: PeerRecords,
  code: string,
  signal: AbortSignal,
): AsyncGenerator<JoinEvent> {
  const invite = decodeInviteCode(code);
  const { clock } = options;
  if (clock.nowMs() > invite.expiresAtMs + SKEW_MS) throw invalid('this invite has expired', ['ask for a new invite']);
  records.refuseSelf(invite.id);
  // Before the code is spent.
  await options.config.ready();

  const hangUp = new AbortController();
  const both = AbortSignal.any([signal, hangUp.signal]);
  const outgoing = createChannel<RedeemClientMessage>();
  const target = { address: invite.address, id: invite.id };
  const reader = createStepReader(options.transport.redeem(target, outgoing, both), {
    clock,
    signal,
    code: 'UNREACHABLE',
    who: 'the inviting node',
  });
  try {
    const { transcript, label: name } = await exchangeProofs(options, invite, outgoing.send, reader);
    const peerId = invite.id;
    const preview = records.labelOf(peerId, name);
    yield { kind: 'proved', peerId, label: preview, words: shortWords(transcript) };

    const leftMs = Math.max(0, invite.expiresAtMs - clock.nowMs()) + SKEW_MS;
    const offer = readOffer(await reader.next(leftMs));
    if (signal.aborted) throw cancelled();
    const { profiles, workspaces, leaseMs } = offer;
    const { certificatePem } = transcript.inviter;
    const admission: Admission = {
      pin: { id: peerId, certificatePem },
      name,
      peer: { address: invite.address, profiles: [], workspaces: [], outbound: { profiles, workspaces } },
      via: 'join',
    };
    const question = askPerson(options, admission, { label: preview, words: shortWords(transcript) });
    if (question !== undefined) {
      yield { kind: 'asked', peerId, label: preview, approval: question };
      if (!(await options.consent.answer(question, signal))) throw onlyStoredThere(refusedHere(signal));
    }
    const { label, generation } = await records.admit(admission).catch((error: unknown) => {
      throw onlyStoredThere(error);
    });
    const lease = leaseMs === undefined ? {} : { leaseMs };
    yield { kind: 'paired', peerId, label, profiles, workspaces, ...lease, generation };
  } finally {
    outgoing.end();
    hangUp.abort();
    reader.close();
  }
}

/** How long the question can be answered, milliseconds. */
const ANSWER_MS = 600_000;

/** Puts the question to an approver of this node where there is one; its id. */
function askPerson(
  { consent }: PairingOptions,
  { pin, peer, via }: Admission,
  { label, words }: { readonly label: string; readonly words: string },
): string | undefined {
  if (!consent.isNeeded()) return undefined;
  const { address, profiles, workspaces, outbound } = peer;
  return consent.ask({
    ...{ peerId: pin.id, certificatePem: pin.certificatePem, label, words, profiles, workspaces, outbound, via },
    lifetimeMs: ANSWER_MS,
    ...(address === undefined ? {} : { address }),
  });
}

function refusedHere(signal: AbortSignal): WritError {
  if (signal.aborted) return cancelled();
  return new WritError('NOT_APPROVER', 'no approver of this node said yes to the peer, and nothing was stored here');
}

/** Hello, challenge, proof, and the inviter's own proof. */
async function exchangeProofs(
  options: PairingOptions,
  invite: InviteCode,
  send: (message: RedeemClientMessage) => boolean,
  reader: StepReader<RedeemServerMessage>,
): Promise<{ readonly transcript: PairingTranscript; readonly label: string }> {
  const { identity, nodeName: label, random } = options;
  const address = options.address() ?? '';
  const nonce = random.bytes(PAIRING_NONCE_BYTES);
  send({
    step: 'hello',
    invite: invite.invite,
    ...identity.public,
    label,
    ...(address === '' ? {} : { address }),
    nonce,
  });

  const challenge = await reader.next(STEP_MS);
  if (challenge.step !== 'challenge') throw invalid('the inviting node sent a message out of turn');
  const inviter = readIntroduction(challenge, 'the inviting node');
  if (inviter.pin.id !== invite.id) throw invalid('the node that answered is not the one that invited');
  const transcript: PairingTranscript = {
    invite: invite.invite,
    inviter: { ...inviter.pin, nonce: inviter.nonce },
    joiner: { ...identity.public, nonce, label, address },
  };
  const key = pairingKey(invite.secret);
  send({ step: 'proof', mac: pairingMac(key, 'joiner', transcript) });

  const pending = await reader.next(STEP_MS);
  if (pending.step !== 'pending') throw invalid('the inviting node sent a message out of turn');
  if (!isSameMac(pending.mac, pairingMac(key, 'inviter', transcript))) {
    throw invalid('the node that answered does not know the secret of the invite');
  }
  return { transcript, label: inviter.label };
}

/** The inviter's names for what it lends; only names can stand in this node's file. */
function readOffer(message: RedeemServerMessage) {
  if (message.step !== 'accepted') throw invalid('the inviting node sent a message out of turn');
  const { leaseMs } = message;
  return {
    profiles: message.profiles.map(readName),
    workspaces: message.workspaces.map(readName),
    ...(leaseMs === undefined ? {} : { leaseMs }),
  };
}

function readName(name: string): string {
  const folded = foldName(name);
  if (folded === undefined)
    throw new WritError('INVITE_INVALID', 'the inviting node offered something that has no name');
  return folded;
}

/** The inviter has stored this node already when storing fails here; its person has to know. */
function onlyStoredThere(cause: unknown): WritError {
  const { code, message, details, nextSteps } = toWritError(cause);
  const there = 'on the inviting node, remove this node with `writ peer remove`, then pair again';
  return new WritError(code, message, { details, nextSteps: [...nextSteps, there], cause });
}
