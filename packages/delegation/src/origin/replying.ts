import { isWritError, WritError } from '@writ/core';
import { isTerminal, type Mirror } from '@writ/task-store';
import type { Reply, ReplyTaken } from '../turn-types.ts';
import type { OutgoingReply } from '../types.ts';
import type { OriginParts } from './parts.ts';

/**
 * Hands a reply to the executor; see `Origin.reply`. It is asked for each reply anew what is open: what this node was told
 * may be old.
 */
export async function replyTo(parts: OriginParts, id: string, { by, ...reply }: OutgoingReply): Promise<ReplyTaken> {
  try {
    const mirror = requireOpen(parts, id);
    const taken = await handOver(parts, mirror, { ...reply, key: reply.key ?? parts.random.uuid() });
    const details = { question: taken.question, peer: mirror.peer };
    parts.database.withWriteTx((tx) =>
      tx.audit({ kind: 'task', action: 'mirror.replied', actor: by, subject: id, details }),
    );
    return taken;
  } finally {
    // Whatever became of it: a secret stays nowhere at the node that sends it.
    if (reply.content.kind === 'credential') reply.content.secret.fill(0);
  }
}

async function handOver(
  { directory }: OriginParts,
  { id, peer, peerLabel }: Mirror,
  reply: Reply,
): Promise<ReplyTaken> {
  try {
    return await directory.client(peer).reply(id, reply);
  } catch (error) {
    throw isWritError(error, 'UNREACHABLE') ? unreachable(peerLabel, error) : error;
  }
}

/** INVARIANT: 5 session and task are read again for each reply; one that is gone is an error, and nothing leaves this node. */
function requireOpen({ database, journal, sessionLives }: OriginParts, id: string): Mirror {
  const mirror = journal.require(id);
  if (isTerminal(mirror.state) || mirror.cancelRequestedAtMs !== undefined) {
    throw gone(`the task is ${isTerminal(mirror.state) ? mirror.state : 'being cancelled'}: nobody waits for a reply`);
  }
  const { session, origin } = mirror;
  const lives = database.withReadTx((tx) => sessionLives(tx, { session, ...(origin === undefined ? {} : { origin }) }));
  if (!lives) throw gone('the session of the task has ended: nobody waits for a reply');
  return mirror;
}

function gone(message: string): WritError {
  return new WritError('NOT_FOUND', message, {
    nextSteps: ['nothing was sent; see how the task stands: writ task list'],
  });
}

function unreachable(peer: string, cause: WritError): WritError {
  return new WritError('UNREACHABLE', `${peer} cannot be reached, and this node keeps no reply: ${cause.message}`, {
    nextSteps: ['reply again, under the same key, once it is reached'],
    cause,
  });
}
