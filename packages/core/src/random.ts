import { randomBytes, randomInt } from 'node:crypto';
import { uuidv7 } from 'uuidv7';

/** Where unpredictability comes from; a constructor argument everywhere. */
export interface Random {
  /** `length` cryptographically strong random bytes. */
  bytes(length: number): Uint8Array;
  /** A uniform integer in `[0, below)`. */
  int(below: number): number;
  /** A time-ordered UUID (RFC 9562 version 7), lower case. */
  uuid(): string;
}

/** The machine's own randomness. */
export function createSystemRandom(): Random {
  return {
    bytes: (length) => randomBytes(length),
    int: (below) => randomInt(below),
    uuid: () => uuidv7(),
  };
}
