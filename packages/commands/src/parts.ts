import type { ActionEnvironment, ActionRequest, Authority, CommandFacts, Gate, WhoAsks } from '@writ/authority';
import type { Clock, FairTurns, Json, Logger, Random } from '@writ/core';
import type { Database, ReadTx, WriteTx } from '@writ/database';
import type { Executor, TaskContext } from '@writ/delegation';
import type { Classification, PolicyEngine, Profile } from '@writ/policy';
import type { AskRates } from './ask-rates.ts';
import type { CommandFiles, CommandProcesses } from './types.ts';

/** What a command is called with, and under what. */
export interface ClassifiedCommand extends Pick<ActionRequest, 'argv' | 'cwd' | 'stdin' | 'profile'> {
  /** As it is stored with the command. */
  readonly basis: Json;
}

/**
 * What a command is, as far as it could be told; `decided` is false where it could not be, and `untold` says why: it took too long, too many
 * wait, nothing can be looked at, or the node ends.
 */
export interface Looked {
  readonly classification: Classification;
  readonly decided: boolean;
  readonly untold?: 'late' | 'full' | 'fault' | 'closing';
}

/** What commands of one node are made of. */
export interface CommandDeskOptions {
  /** Node id of this node. */
  readonly self: string;
  readonly database: Database;
  /** The node's one engine. */
  readonly engine: PolicyEngine;
  readonly authority: Pick<Authority, 'decide' | 'onLeaseRevoked'>;
  readonly gate: Pick<Gate, 'approvals' | 'executions' | 'events'>;
  readonly executor: Pick<Executor, 'get'>;
  /** What a task that runs here may do at this moment; throws where it may do nothing. */
  readonly contextOf: (tx: ReadTx, task: string) => TaskContext;
  /** By the rules of the moment of asking, when it is the asker's turn; what takes too long is undecided. Never rejects. */
  readonly classify: (argv: readonly string[], cwd: string, asker: WhoAsks) => Looked | Promise<Looked>;
  /** What rights and windows are decided from: a read that could be made to do more is asked about like a change. */
  readonly factsOf: (classification: Classification, command: ClassifiedCommand) => CommandFacts;
  /** The environment that a command of a profile would get now. */
  readonly environmentOf: (profile: Profile) => ActionEnvironment;
  /** Absolute path of a workspace; undefined: there is none of that name. */
  readonly workspacePath: (name: string) => string | undefined;
  /** Stores a session that is not stored yet, in the transaction of what rests on it. */
  readonly recordSession: (
    tx: WriteTx,
    session: { readonly origin: string; readonly id: string; readonly agent: string },
  ) => void;
  readonly files: CommandFiles;
  readonly processes: CommandProcesses;
  /** Ends every process that an earlier node has left, whatever is known of it. */
  readonly endLeft: () => Promise<unknown>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What a desk looks at commands with: its options, how fast that may be asked for, and the turns in which it is done. */
export interface DeskParts extends CommandDeskOptions {
  readonly rates: AskRates;
  readonly turns: FairTurns;
}
