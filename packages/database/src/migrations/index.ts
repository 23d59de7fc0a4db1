import type { Migration } from 'kysely';
import { firstSchema } from './0001-first-schema.ts';
import { chains } from './0002-chains.ts';
import { results } from './0003-results.ts';
import { approvals } from './0004-approvals.ts';
import { sessionEnds } from './0005-session-ends.ts';
import { questions } from './0006-questions.ts';
import { askedOfPeers } from './0007-asked-of-peers.ts';
import { rowsOfATask } from './0008-rows-of-a-task.ts';
import { unreachableSince } from './0009-unreachable-since.ts';
import { windowWorkspaces } from './0010-window-workspaces.ts';
import { questionsInTime } from './0011-questions-in-time.ts';
import { receiptsRefused } from './0012-receipts-refused.ts';
import { removal } from './0013-removal.ts';
import { refusals } from './0014-refusals.ts';
import { clockBelief } from './0015-clock-belief.ts';

/** Every migration by its number, forward only: one that was released is never changed, only followed. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-first-schema': firstSchema,
  '0002-chains': chains,
  '0003-results': results,
  '0004-approvals': approvals,
  '0005-session-ends': sessionEnds,
  '0006-questions': questions,
  '0007-asked-of-peers': askedOfPeers,
  '0008-rows-of-a-task': rowsOfATask,
  '0009-unreachable-since': unreachableSince,
  '0010-window-workspaces': windowWorkspaces,
  '0011-questions-in-time': questionsInTime,
  '0012-receipts-refused': receiptsRefused,
  '0013-removal': removal,
  '0014-refusals': refusals,
  '0015-clock-belief': clockBelief,
};
