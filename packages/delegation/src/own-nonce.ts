import { sha256Hex } from '@writ/core';

/** The nonce of a node's own task, which no writ goes out with: 32 hex digits, the same at both ends. */
export function ownNonce(task: string): string {
  return sha256Hex(`self ${task}`).slice(0, 32);
}
