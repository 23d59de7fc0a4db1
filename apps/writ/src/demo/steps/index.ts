import type { Step } from '../types.ts';
import { agent } from './agent.ts';
import { hostAlone, sessionGone, twoPersons } from './approver.ts';
import { cancelDown, circle, confined, handOn, mayGoOn } from './chain.ts';
import { executorKilled, originKilled } from './crashes.ts';
import { cancel, ceiling, query, revoke, unlisted, withLease, withoutLease } from './delegation.ts';
import { applied, flipped, mend, verified } from './evidence.ts';
import { pairing, stranger } from './pairing.ts';
import { broken, reload } from './policy.ts';

/** The story of the demo, in order; each step builds on those before it. */
export const STEPS: readonly Step[] = [
  pairing,
  query,
  unlisted,
  withoutLease,
  hostAlone,
  twoPersons,
  sessionGone,
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
  mend,
  verified,
  applied,
  flipped,
  executorKilled,
  originKilled,
  reload,
  broken,
];
