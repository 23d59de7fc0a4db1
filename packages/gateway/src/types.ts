import type { z } from 'zod';

/** Who calls an operation, as the credential on the connection proved it. */
export type Caller =
  | {
      readonly kind: 'host';
      readonly session?: SessionRef;
      /** Who asks, folded, where no session says it. */
      readonly agent?: string;
    }
  | { readonly kind: 'task'; readonly task: string; readonly session: SessionRef };

/** A session in its full name: two origins cannot collide. */
export interface SessionRef {
  readonly origin: string;
  readonly id: string;
  readonly agent: string;
}

/** What every operation is given beside its input. */
export interface CallContext {
  readonly caller: Caller;
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal;
  /** Told how far a call is that takes its time; absent: nobody wants to know. */
  readonly progress?: (note: ProgressNote) => void;
  /** Resolves when the next piece of a stream may be worked on, see `Turns`; absent: with the next turn of the loop. */
  readonly turn?: () => Promise<void>;
}

/** How far a call is, in words. */
export interface ProgressNote {
  readonly message: string;
}

/** What a task token may do with an operation; what states nothing is `deny`. */
export type TaskTokenRule = 'subtree' | 'deny';

/** Where an operation is offered to an agent. */
export interface McpExposure {
  readonly title: string;
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  /** What it does reaches other nodes; absent: it stays on this one. */
  readonly openWorld?: true;
  /** To the own agent of a task alone. */
  readonly onlyTasks?: true;
  /** Offered to agents that were started with this set; absent: the default one, which all are offered. */
  readonly toolset?: Toolset;
  /** Fields of the input that a person's own command gives: agents are not told of them, and refused with them. */
  readonly without?: readonly string[];
}

/** Sets of tools beside the default one. */
export const TOOLSETS = ['commands', 'evidence', 'authority', 'policy', 'peers', 'upstreams'] as const;
/** `setup` is none of those: only a person's own command asks for it, on the control socket, and no list of sets has it. */
export type Toolset = (typeof TOOLSETS)[number] | 'setup';

/** Header of an MCP connection that names its sets. */
export const TOOLSETS_HEADER = 'writ-toolsets';

/** Where a caller of the control socket asks for nothing but a sign of life. */
export const ALIVE_PATH = '/v1/alive';

/** Header of a connection to the control socket that wants the set `setup`, besides all others. */
export const SETUP_HEADER = 'writ-setup';

/** The sets of a list such as `commands` or `all`. Undefined where a name in it is none. */
export function readToolsets(list: string): readonly Toolset[] | undefined {
  const names = list.split(',').map((name) => name.trim());
  if (names.includes('all')) return TOOLSETS;
  const wanted = names.filter((name) => name !== '' && name !== 'default');
  const known = TOOLSETS.filter((toolset) => wanted.includes(toolset));
  return known.length === new Set(wanted).size ? known : undefined;
}

/**
 * One operation of the gateway. The registry of these produces the MCP advertisement, the control routes, dispatch,
 * the ownership check and the table in docs; nothing is dispatched that is not in it.
 */
export interface Operation<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> {
  /** snake_case; the MCP tool has the same name. */
  readonly name: string;
  /** One or two sentences for whoever chooses a tool. */
  readonly summary: string;
  readonly input: I;
  readonly output: O;
  readonly taskToken: TaskTokenRule;
  /** Absent: only on the control socket, for a person with the host token. */
  readonly mcp?: McpExposure;
  /** Names the input field that holds a task id, for the one ownership check. */
  readonly ownedTask?: string;
  run(input: z.output<I>, context: CallContext): Promise<z.input<O>>;
}

/** An operation that answers with a stream of lines; only on the control socket. */
export interface StreamOperation<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly summary: string;
  readonly input: I;
  /** Shape of each line. */
  readonly item: O;
  readonly taskToken: TaskTokenRule;
  readonly ownedTask?: string;
  run(input: z.output<I>, context: CallContext): AsyncIterable<z.input<O>>;
}
