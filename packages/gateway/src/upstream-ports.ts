/** A process of the node's own that speaks MCP on its standard input and output. */
export interface UpstreamProcess {
  /** Resolves when it took the bytes, or nobody takes them any more; never rejects. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends its whole tree. */
  stop(): void;
  /** Resolves when the tree is gone; never rejects. */
  readonly done: Promise<unknown>;
}

/** Starts upstream MCP servers; each ends with the node. */
export interface UpstreamProcesses {
  /** `env` names the variables that pass to it. Throws RUNNER_UNAVAILABLE, SHUTTING_DOWN. */
  start(order: {
    readonly argv: readonly string[];
    readonly env: readonly string[];
    readonly onOutput: (bytes: Buffer) => Promise<void>;
  }): Promise<UpstreamProcess>;
}

/** Writes down who called which tool of which server; never with what. */
export interface UpstreamAudit {
  note(entry: {
    readonly actor: string;
    readonly upstream: string;
    readonly tool: string;
    readonly task?: string;
    readonly allowed: boolean;
  }): void;
}
