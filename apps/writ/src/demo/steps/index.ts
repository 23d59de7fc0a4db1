import type { Step } from '../types.ts';
import { agent } from './agent.ts';
import { cancelDown, circle, confined, handOn, mayGoOn } from './chain.ts';
import { cancel, ceiling, query, revoke, unlisted, withLease, withoutLease } from './delegation.ts';
import { pairing, stranger } from './pairing.ts';
import { broken, reload } from './policy.ts';

/** The story of the demo, in order; each step builds on those before it. */
export const STEPS: readonly Step[] = [
  pairing,
  query,
  unlisted,
  withoutLease,
  withLease,
  ceiling,
  revoke,
  stranger,
  agent,
  cancel,
  mayGoOn,
  handOn,
  circle,
  confined,
  cancelDown,
  reload,
  broken,
];
