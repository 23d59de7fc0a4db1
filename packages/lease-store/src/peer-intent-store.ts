import { jsonColumn, type RowShape, readRow } from '@writ/database';
import { z } from 'zod';
import type { PeerIntent, PeerIntentStore } from './peer-intent-types.ts';
import type { NodeFactStore } from './types.ts';

const PREFIX = 'peer.intent.';

const names = z.array(z.string());
const INTENT: z.ZodType<PeerIntent> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('admit'),
    isNew: z.boolean(),
    added: z
      .union([
        z.literal('table'),
        z.object({
          profiles: names,
          workspaces: names,
          outbound: z.object({ profiles: names, workspaces: names }),
        }),
      ])
      .optional(),
  }),
  z.object({ kind: z.literal('remove'), label: z.string() }),
  z.object({ kind: z.literal('forget') }),
]);

const SHAPE: RowShape<{ readonly key: string; readonly value: PeerIntent }> = {
  table: 'node_fact',
  key: 'key',
  shape: z.object({ key: z.string(), value: jsonColumn(INTENT) }),
};

/** Changes of peers that are under way, among the facts of a node. */
export function createPeerIntentStore(facts: NodeFactStore): PeerIntentStore {
  return {
    get(tx, peer) {
      const key = PREFIX + peer;
      const value = facts.get(tx, key);
      return value === undefined ? undefined : readRow(tx, { key, value }, SHAPE)?.value;
    },
    set: (tx, peer, intent) => facts.set(tx, PREFIX + peer, JSON.stringify(intent)),
    remove: (tx, peer) => facts.remove(tx, PREFIX + peer),
    peers: (tx) => facts.keys(tx, PREFIX).map((key) => key.slice(PREFIX.length)),
  };
}
