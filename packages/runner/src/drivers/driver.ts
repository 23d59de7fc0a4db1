import type { Clock } from '@writ/core';
import type { AgentReport } from '../agent-report.ts';
import type { ProcessInput } from '../spawned.ts';
import type { RunSink, RunSpec } from '../types.ts';
import type { AgentOutput } from './joined-output.ts';

/**
 * How one kind of runner works. The steps of a run are the same for all of them: `launch` says what is started, the
 * spawner starts it, `converse` takes what it writes and says what came of it, and the spawner ends the tree.
 */
export interface RunnerDriver {
  readonly takes: 'argv' | 'prompt';
  /** Throws BAD_REQUEST or COMMAND_NOT_ALLOWED. Costs nothing: it is asked before anything is prepared, too. */
  launch(spec: LaunchSpec, workspace: string): Launch;
  /** Absent: what the process writes is passed on as it comes, and its exit says it all. */
  readonly converse?: (parts: ConversationParts) => Conversation;
}

/** The part of a spec that decides what is started. */
export type LaunchSpec = Pick<RunSpec, 'runner' | 'input' | 'commands' | 'rights' | 'isolation'>;

/** What is started. */
export interface Launch {
  readonly argv: readonly string[];
  /** Whether the driver writes to its standard input; otherwise that is closed. */
  readonly inputOpen: boolean;
}

/** What a conversation is held with. */
export interface ConversationParts {
  readonly spec: LaunchSpec;
  /** Absolute path of the working directory. */
  readonly workspace: string;
  /** Where what it writes and does goes: to the transcript. */
  readonly output: AgentOutput;
  /** A text without the secrets of the run: to be asked for before a part of it is cut away. */
  readonly clean: (text: string) => string;
  readonly permit: NonNullable<RunSink['permit']>;
  readonly clock: Clock;
}

/** A process that a conversation is held with. */
export interface Partner {
  readonly input: ProcessInput;
  /** Ends it: it has said all that it was asked for, or cannot be understood. */
  dismiss(): void;
}

/** What a driver makes of a running process. */
export interface Conversation {
  /** The process runs; called once, before its first output is taken. */
  begin(partner: Partner): void;
  /** Takes output, in order; the next bytes wait until this resolves. Never rejects. */
  take(stream: 'stdout' | 'stderr', bytes: Buffer): Promise<void>;
  /**
   * Asks the agent to come to its end by itself, and says whether it was still at work; absent: only signals end it.
   * What does not end is ended by its tree.
   */
  readonly interrupt?: () => boolean;
  /** The process has ended, and reads no answer any more; what it has written, and its tree, may still be there. */
  readonly gone?: () => void;
  /** To be called last, when the process is gone and its output was taken. Never rejects. */
  finish(): Promise<AgentReport>;
}
