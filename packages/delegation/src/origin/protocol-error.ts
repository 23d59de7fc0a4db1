import { WritError } from '@writ/core';

/** A peer said what it may not say; what it says after the next try may be right. */
export function protocolError(what: string): WritError {
  return new WritError('INTERNAL', `the peer broke the protocol: ${what}`);
}
