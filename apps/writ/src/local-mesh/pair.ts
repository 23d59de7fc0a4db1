import { WritError } from '@writ/core';
import type { OperationInput } from '@writ/gateway/client';
import type { LocalNode } from './local-node.ts';

/** What a pairing of two local nodes showed to their persons. */
export interface Paired {
  /** Label under which the joiner knows the inviter. */
  readonly label: string;
  /** Short words, as each side showed them. */
  readonly inviterWords: string;
  readonly joinerWords: string;
}

/**
 * Pairs two running nodes through a real invite; answers yes only when both show the same words.
 * Afterwards `joiner` may ask `inviter` for what `offer` names.
 */
export async function pair(
  inviter: LocalNode,
  joiner: LocalNode,
  offer: OperationInput<'peer_invite'>,
  signal: AbortSignal,
): Promise<Paired> {
  const atInviter = inviter.client();
  let inviterWords = '';
  let joining: Promise<{ label: string; words: string }> | undefined;
  let invite = '';
  const proved = deferred<string>();
  for await (const event of atInviter.stream('peer_invite', offer, { signal })) {
    if (event.kind === 'invite') {
      invite = event.id;
      joining = join(joiner, event.code, proved.resolve, signal);
      joining.catch(proved.reject);
    } else if (event.kind === 'proved') {
      inviterWords = event.words;
      await answer(inviter, invite, event, (await proved.promise) === event.words);
    } else if (event.kind !== 'paired') {
      throw new WritError('INVITE_INVALID', `the invite of ${inviter.name} was ${event.kind}`);
    }
  }
  const joined = await joining;
  if (joined === undefined) throw new WritError('INVITE_INVALID', `${inviter.name} made no invite`);
  return { label: joined.label, inviterWords, joinerWords: joined.words };
}

/** A yes of its person where the node has one that answers, else the yes of the machine. */
async function answer(
  inviter: LocalNode,
  invite: string,
  { approval }: { readonly approval?: string | undefined },
  accept: boolean,
): Promise<void> {
  if (accept && approval !== undefined) await inviter.person().approve(approval);
  else await inviter.client().call('peer_confirm', { invite, accept });
}

async function join(
  joiner: LocalNode,
  code: string,
  onWords: (words: string) => void,
  signal: AbortSignal,
): Promise<{ label: string; words: string }> {
  let words = '';
  for await (const event of joiner.client().stream('peer_join', { code }, { signal })) {
    if (event.kind === 'paired') return { label: event.label, words };
    if (event.kind === 'asked') {
      await joiner.person().approve(event.approval);
      continue;
    }
    words = event.words;
    onWords(words);
  }
  throw new WritError('INVITE_INVALID', 'the exchange ended before the pairing');
}

/** A promise with its two ends outside (Node 20 has no `Promise.withResolvers`). */
function deferred<T>(): { promise: Promise<T>; resolve(value: T): void; reject(reason: unknown): void } {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
