import { type Random, replacePrivateFile, sha256Hex } from '@writ/core';
import type { Database } from '@writ/database';
import type { Authenticator } from '@writ/gateway';
import type { TokenStore } from '@writ/lease-store';
import { isTerminal, type TaskStore } from '@writ/task-store';

/** Random bytes of a token. */
const TOKEN_BYTES = 32;

/** Makes this start's host token: its hash goes into the database, the secret into a file of mode 0600. */
export async function issueHostToken(
  database: Database,
  tokens: TokenStore,
  path: string,
  random: Random,
): Promise<void> {
  const token = `wht_${Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url')}`;
  database.withWriteTx((tx) => {
    tokens.put(tx, sha256Hex(token), { kind: 'host' });
    tx.audit({ kind: 'token', action: 'token.host.issued', actor: 'node' });
  });
  await replacePrivateFile(path, `${token}\n`, random);
}

/** Proves tokens by their hashes in the database; the token of a task that has ended proves nothing. */
export function createAuthenticator({
  database,
  stores: { tokens, tasks },
}: {
  readonly database: Database;
  readonly stores: { readonly tokens: TokenStore; readonly tasks: TaskStore };
}): Authenticator {
  return {
    authenticate: (token) =>
      database.withReadTx((tx) => {
        const identity = tokens.find(tx, sha256Hex(token));
        if (identity === undefined || identity.kind === 'host') return identity;
        const { task, origin, session: id } = identity;
        const record = tasks.get(tx, task);
        if (record === undefined || isTerminal(record.state)) return undefined;
        return { kind: 'task', task, session: { origin, id, agent: record.agent } };
      }),
  };
}
