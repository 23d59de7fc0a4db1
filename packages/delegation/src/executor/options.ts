import type { Authority, TaskQuestions } from '@writ/authority';
import type { Clock, Logger, Random } from '@writ/core';
import type { Database } from '@writ/database';
import type { PolicyEngine } from '@writ/policy';
import type { MirrorStore, RemovalStore, TaskStore } from '@writ/task-store';
import type { EvidenceKit } from '../evidence-kit.ts';
import type { TurnDesk } from '../turn-types.ts';
import type { SideWork, TaskDoors, TaskRunner } from '../types.ts';

/** What an executor is made of. */
export interface ExecutorOptions {
  readonly database: Database;
  readonly tasks: TaskStore;
  /** What this node asked of others: no peer may use an id of those, and their results are named in those made here. */
  readonly mirrors: Pick<MirrorStore, 'get' | 'listChildren'>;
  /** What was here once. */
  readonly removals: Pick<RemovalStore, 'find' | 'findKey'>;
  readonly authority: Authority;
  /** The node's one engine: starts happen under its read lock. */
  readonly engine: PolicyEngine;
  readonly runner: TaskRunner;
  /** Absolute path of a configured workspace; undefined where there is none of that name. */
  readonly workspaces: (name: string) => string | undefined;
  readonly evidence: EvidenceKit;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Asks persons of this node about tasks; absent: nobody is asked, and what would have to be is refused. */
  readonly questions?: TaskQuestions;
  /** Lets tasks that may hand work on, or ask, talk back to this node; absent: no task can. */
  readonly doors?: TaskDoors;
  /** What tasks ask, and who is asked. */
  readonly turns: TurnDesk;
  /** What tasks have started besides their own processes; absent: they can start nothing. */
  readonly sideWork?: SideWork;
  /** How many tasks run at once; the others queue. */
  readonly slots: number;
}
