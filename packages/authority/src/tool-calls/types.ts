import type { Json } from '@writ/core';
import type { CommandPattern, Network, ReadsAlone } from '@writ/policy';
import type { CommandFacts } from '../executions/types.ts';

/** What an agent says that a tool call does. */
export type ToolKind = 'read' | 'edit' | 'delete' | 'move' | 'search' | 'execute' | 'fetch' | 'other';

/** A tool call that an agent asks leave for; everything in it is the agent's own claim. */
export interface ToolCall {
  readonly kind: ToolKind;
  /** Files that it names beside what it would be called with. */
  readonly paths: readonly string[];
  /** What the tool would be called with; null where the agent does not say. */
  readonly input: Json;
  /** It was told before what more the call is about, and that is not kept: what is said here is not all. */
  readonly untold?: true;
}

/** What a task holds at this moment: its grant, and of its effective profile what bounds its commands and files. */
export interface ToolRights {
  readonly closure: readonly string[];
  readonly network: Network;
  /** Commands that may run with the shell denied. */
  readonly commands: readonly CommandPattern[];
  /** Absolute paths that `read_files` covers. */
  readonly readPaths: readonly string[];
  /** Absolute path of the task's own copy of its workspace; absent: it has none. */
  readonly directory?: string;
}

/**
 * What a command is, and what it can only read. Absent `alone`: it could do more than its rule is about. `undecided`: why nobody can tell
 * what it does.
 */
export type ClassifyTool = (
  argv: readonly string[],
  cwd: string,
) => Pick<CommandFacts, 'class' | 'needs'> & { readonly alone?: ReadsAlone; readonly undecided?: string };

/** What is found out about a tool call. */
export interface ToolFacts {
  readonly classify: ClassifyTool;
  /**
   * Where an absolute path leads at this moment, as the system follows its links, also where its end is not there yet;
   * undefined where that cannot be told.
   */
  readonly leadsTo: (path: string) => string | undefined;
}

/**
 * `allow`: the grant covers it. `deny`: it covers it not, and no answer would. `ask`: a right that it needs is held, and
 * what exactly would be done is for a person to see.
 */
export type ToolVerdict =
  | { readonly verdict: 'allow' }
  | {
      readonly verdict: 'deny' | 'ask';
      readonly code: 'COMMAND_NOT_ALLOWED' | 'APPROVAL_REQUIRED';
      readonly message: string;
    };
