/** An agent program that this version knows how to drive. */
export interface KnownAgent {
  /** What it is called, and the program that is looked for in PATH. */
  readonly program: string;
  /** The kind of runner that drives it. */
  readonly kind: 'acp' | 'codex' | 'claude';
  /** What stands behind the program in the `argv` of its runner; empty where the driver brings its own. */
  readonly args: readonly string[];
  /** Arguments with which it says its version and ends. Absent: it has none. */
  readonly version?: readonly string[];
  /** Whether it asks before a tool call, so that a person can be asked; else what its grant lacks is refused to it. */
  readonly asksLeave: boolean;
  /** What of its use it tells. */
  readonly usage: readonly ('tokens' | 'cost')[];
  /** The command that installs it. */
  readonly install: string;
}

/** Whether a program can run in a sandbox of this machine. `unknown`: it is there inside, and says no version. */
export type InSandbox = 'runs' | 'unknown' | 'not-shown' | 'fails' | 'no-sandbox';

/** A program of this machine. */
export interface FoundProgram {
  /** Absolute. */
  readonly path: string;
  readonly sandbox: InSandbox;
}

/** What was found of a known agent. */
export interface FoundAgent {
  readonly agent: KnownAgent;
  /** Absent: it is not installed. */
  readonly found?: FoundProgram & {
    /** As it says itself, such as `2.1.332`. */
    readonly version?: string;
  };
  /** What is wrong, one line; absent: nothing. */
  readonly problem?: string;
  /** What to do about it. */
  readonly nextSteps: readonly string[];
}

/** Looks for agents on this machine. Nothing is remembered: somebody may install one meanwhile. */
export interface AgentFinder {
  /** Every known agent, installed or not, in a fixed order. Installed ones are started to say their version, and nothing else is. */
  agents(): Promise<readonly FoundAgent[]>;
  /** A program as a runner's `argv` names it, not started; undefined: it is not there. */
  program(name: string): Promise<FoundProgram | undefined>;
}
