import { toWritError, WritError } from '@writ/core';
import type { AuditAction } from '@writ/database';
import { isSameMac, PAIRING_NONCE_BYTES, type PairingTranscript, pairingMac, shortWords } from '@writ/identity';
import type { InviteRecord } from '@writ/lease-store';
import type { AttemptLimit } from './attempt-limit.ts';
import { settleJoiner } from './confirming.ts';
import { type Introduction, invalid, readAddress, readIntroduction } from './hello.ts';
import type { InviteBoard } from './invite-board.ts';
import type { OpenInvites } from './open-invites.ts';
import type { PairingOptions } from './options.ts';
import type { PeerRecords } from './peer-records.ts';
import type { JoinOutcome, PendingJoiners } from './pending-joiners.ts';
import { createStepReader, type StepReader } from './step-reader.ts';
import type { RedeemClientMessage, RedeemServerMessage } from './types.ts';

/** How long a joiner may take for each message, milliseconds. */
const STEP_MS = 10_000;
/** Wrong proofs after which an invite is closed: nobody who copied the code needs more. */
const MOST_WRONG_PROOFS = 5;

/** What one `Redeem` call is served with. */
export interface RedeemServerParts {
  readonly options: PairingOptions;
  readonly open: OpenInvites;
  readonly board: InviteBoard;
  readonly pending: PendingJoiners;
  readonly records: PeerRecords;
  readonly limit: AttemptLimit;
  /** Wrong proofs so far, by open invite. */
  readonly wrongProofs: Map<string, number>;
}

interface Joiner extends Introduction {
  readonly address?: string;
  readonly transcript: PairingTranscript;
}

/**
 * The inviter's end of one exchange: challenge, proof, then the wait for the person. Nothing about the joiner is stored
 * before that person confirmed.
 */
export async function* serveRedeem(
  parts: RedeemServerParts,
  messages: AsyncIterable<RedeemClientMessage>,
): AsyncGenerator<RedeemServerMessage> {
  const { options, pending } = parts;
  const leave = parts.limit.enter();
  const reader = createStepReader(messages, {
    clock: options.clock,
    code: 'INVITE_INVALID',
    who: 'the joining node',
  });
  let proved: string | undefined;
  try {
    const joiner = await readJoiner(parts, reader);
    const { identity, nodeName: label } = options;
    yield { step: 'challenge', ...identity.public, nonce: joiner.transcript.inviter.nonce, label };
    const proof = await reader.next(STEP_MS);
    if (proof.step !== 'proof') throw invalid('the joining node sent a message out of turn');
    const { invite, mac } = useInvite(parts, joiner, proof.mac);
    proved = invite.id;
    leave();
    const outcome = waitForPerson(parts, invite, joiner, reader);
    yield { step: 'pending', mac };
    yield answerOf(await outcome, invite, label);
  } finally {
    leave();
    // The joiner is gone, or was answered: nobody can be confirmed any more.
    if (proved !== undefined && pending.take(proved) !== undefined) {
      parts.board.tell(proved, { kind: 'refused', why: 'the joining node went away' });
    }
    reader.close();
  }
}

async function readJoiner(parts: RedeemServerParts, reader: StepReader<RedeemClientMessage>): Promise<Joiner> {
  const { identity, random } = parts.options;
  const hello = await reader.next(STEP_MS);
  if (hello.step !== 'hello') throw invalid('the joining node sent a message out of turn');
  const introduction = readIntroduction(hello, 'the joining node');
  const address = readAddress(hello.address);
  return {
    ...introduction,
    ...(address === undefined ? {} : { address }),
    transcript: {
      invite: hello.invite,
      inviter: { ...identity.public, nonce: random.bytes(PAIRING_NONCE_BYTES) },
      joiner: { ...introduction.pin, nonce: hello.nonce, label: hello.label, address: hello.address ?? '' },
    },
  };
}

/** Checks the proof and spends the invite, in one transaction. Every refusal of a stranger sounds the same. */
function useInvite(
  parts: RedeemServerParts,
  joiner: Joiner,
  mac: Uint8Array,
): { readonly invite: InviteRecord; readonly mac: Uint8Array } {
  const { database, invites, random } = parts.options;
  const refused = invalid('this invite is wrong, used or expired', ['ask for a new invite']);
  const result = database.withWriteTx((tx) => {
    const invite = invites.listOpen(tx, tx.nowMs).find((open) => open.id === joiner.transcript.invite);
    // The same work for one that does not exist. That its row is missing may show in the time: nobody guesses an id.
    const key = invite === undefined ? random.bytes(32) : Buffer.from(invite.secretHash, 'hex');
    const isProved = isSameMac(mac, pairingMac(key, 'joiner', joiner.transcript));
    if (invite === undefined) return undefined;
    const audit = (action: AuditAction): void =>
      tx.audit({ kind: 'invite', action, actor: joiner.pin.id, subject: invite.id });
    if (!isProved) {
      audit('invite.proof-refused');
      if (countWrongProof(parts, invite.id) >= MOST_WRONG_PROOFS && invites.use(tx, invite.id)) {
        audit('invite.closed');
        tx.afterCommit(() => {
          parts.open.changed();
          parts.board.tell(invite.id, { kind: 'refused', why: 'too many wrong proofs' });
        });
      }
      return undefined;
    }
    // Before the secret is spent.
    parts.records.refuseSelf(joiner.pin.id);
    if (!invites.use(tx, invite.id)) return undefined;
    tx.afterCommit(() => parts.open.changed());
    audit('invite.proved');
    return { invite, mac: pairingMac(key, 'inviter', joiner.transcript) };
  });
  if (result === undefined) throw refused;
  parts.wrongProofs.delete(result.invite.id);
  return result;
}

function countWrongProof({ wrongProofs }: RedeemServerParts, invite: string): number {
  const count = (wrongProofs.get(invite) ?? 0) + 1;
  wrongProofs.set(invite, count);
  return count;
}

/** Settles when the person has answered, the time is up, or the joiner has left. */
function waitForPerson(
  parts: RedeemServerParts,
  invite: InviteRecord,
  joiner: Joiner,
  reader: StepReader<RedeemClientMessage>,
): Promise<JoinOutcome> {
  const { board, pending, records } = parts;
  const label = records.labelOf(joiner.pin.id, joiner.label);
  board.open(invite.id, invite.expiresAtMs);
  const over = new AbortController();
  const outcome = new Promise<JoinOutcome>((settle) => {
    pending.add(invite.id, {
      settle(ended) {
        over.abort();
        settle(ended);
      },
      peerId: joiner.pin.id,
      admit() {
        const { profiles, workspaces, leaseMs } = invite;
        return records.admit({
          pin: joiner.pin,
          name: joiner.label,
          peer: {
            ...(joiner.address === undefined ? {} : { address: joiner.address }),
            profiles,
            workspaces,
            outbound: { profiles: [], workspaces: [] },
          },
          ...(leaseMs === undefined ? {} : { leaseMs }),
          via: 'invite',
        });
      },
    });
    void reader.left().then(() => {
      if (pending.take(invite.id) === undefined) return;
      board.tell(invite.id, { kind: 'refused', why: 'the joining node went away' });
      over.abort();
      settle({ kind: 'failed', error: invalid('the joining node went away') });
    });
  });
  const words = shortWords(joiner.transcript);
  try {
    const approval = askPerson(parts, invite, { ...joiner, name: label, words }, over.signal);
    const asked = approval === undefined ? {} : { approval };
    board.tell(invite.id, { kind: 'proved', peerId: joiner.pin.id, label, words, ...asked });
  } catch (error) {
    board.tell(invite.id, { kind: 'refused', why: toWritError(error).message });
    pending.take(invite.id)?.settle({ kind: 'failed', error });
  }
  return outcome;
}

/** Puts the question to an approver where there is one, and settles with the answer; its id. */
function askPerson(
  parts: RedeemServerParts,
  { id, profiles, workspaces, leaseMs, expiresAtMs }: InviteRecord,
  {
    pin,
    name: label,
    words,
    address,
  }: Pick<Joiner, 'pin' | 'address'> & { readonly name: string; readonly words: string },
  over: AbortSignal,
): string | undefined {
  const { consent, clock, logger } = parts.options;
  if (!consent.isNeeded()) return undefined;
  const approval = consent.ask({
    ...{ peerId: pin.id, certificatePem: pin.certificatePem, label, words, profiles, workspaces, via: 'invite' },
    outbound: { profiles: [], workspaces: [] },
    lifetimeMs: Math.max(1, expiresAtMs - clock.nowMs()),
    ...(address === undefined ? {} : { address }),
    ...(leaseMs === undefined ? {} : { leaseMs }),
  });
  consent
    .answer(approval, over)
    .then((yes) => settleJoiner({ ...parts, database: parts.options.database }, id, yes))
    .catch((error: unknown) =>
      logger.error('a peer was not stored', { peer: pin.id, error: toWritError(error).message }),
    );
  return approval;
}

function answerOf(outcome: JoinOutcome, invite: InviteRecord, label: string): RedeemServerMessage {
  switch (outcome.kind) {
    case 'accepted': {
      const { leaseMs } = outcome.admitted;
      const { profiles, workspaces } = invite;
      return { step: 'accepted', label, profiles, workspaces, ...(leaseMs === undefined ? {} : { leaseMs }) };
    }
    case 'refused':
      throw invalid('the inviting person refused', ['talk to them; another try needs a new invite of theirs']);
    case 'expired':
      throw invalid('the invite expired before the inviting person confirmed');
    case 'failed': {
      // What went wrong inside this node is for its own person; the joiner learns that nothing was stored.
      const error = toWritError(outcome.error);
      throw error.code === 'INVITE_INVALID'
        ? error
        : new WritError('INVITE_INVALID', 'the inviting node could not store the peer, and told its person why');
    }
  }
}
