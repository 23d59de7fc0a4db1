import { type Random, sha256Hex } from '@writ/core';
import type { Database } from '@writ/database';
import type { Authenticator } from '@writ/gateway';
import type { TokenStore } from '@writ/lease-store';
import { writePrivateFile } from './private-file.ts';

/** Random bytes of a token. */
const TOKEN_BYTES = 32;

/** Makes this start's host token: its hash goes into the database, the secret into a file of mode 0600. */
export function issueHostToken(database: Database, tokens: TokenStore, path: string, random: Random): void {
  const token = `wht_${Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url')}`;
  database.withWriteTx((tx) => {
    tokens.put(tx, sha256Hex(token), { kind: 'host' });
    tx.audit({ kind: 'token', action: 'token.host.issued', actor: 'node' });
  });
  writePrivateFile(path, `${token}\n`, random);
}

/** Proves tokens by their hashes in the database. */
export function createAuthenticator(database: Database, tokens: TokenStore): Authenticator {
  return {
    authenticate(token) {
      const identity = database.withReadTx((tx) => tokens.find(tx, sha256Hex(token)));
      // Task tokens are not issued yet, so none can be proved.
      return identity?.kind === 'host' ? { kind: 'host' } : undefined;
    },
  };
}
