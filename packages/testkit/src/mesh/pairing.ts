import type { OperationInput } from '@writ/gateway/client';
import type { MeshNode } from './mesh-node.ts';
import { PATIENCE_MS } from './waiting.ts';

/** What an invite offers. */
export type Offer = OperationInput<'peer_invite'>;

/** Words that the persons at both ends saw. */
export interface PairedWords {
  readonly inviter: string;
  readonly joiner: string;
}

/**
 * Pairs two running nodes through a real invite: afterwards `joiner` may ask `inviter` for what `offer` names.
 * Throws where it comes to anything else.
 */
export async function pairNodes(inviter: MeshNode, joiner: MeshNode, offer: Offer): Promise<PairedWords> {
  const signal = AbortSignal.timeout(3 * PATIENCE_MS);
  const words = { inviter: '', joiner: '' };
  const control = inviter.client();
  let invite = '';
  let joined: Promise<void> | undefined;
  for await (const event of control.stream('peer_invite', offer, { signal })) {
    if (event.kind === 'invite') {
      invite = event.id;
      joined = join(joiner, event.code, signal, words);
      // Its failure is thrown below, when the inviter has told its end.
      joined.catch(() => undefined);
    } else if (event.kind === 'proved') {
      words.inviter = event.words;
      await control.call('peer_confirm', { invite, accept: true });
    } else if (event.kind !== 'paired') {
      throw new Error(`${joiner.name} and ${inviter.name} are not paired: ${event.kind}`);
    }
  }
  await joined;
  return words;
}

async function join(joiner: MeshNode, code: string, signal: AbortSignal, words: { joiner: string }): Promise<void> {
  for await (const event of joiner.client().stream('peer_join', { code }, { signal })) {
    if (event.kind === 'proved') words.joiner = event.words;
    else return;
  }
  throw new Error(`${joiner.name} was not told that it is paired`);
}
