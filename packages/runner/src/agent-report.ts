/** What an agent used, as it says itself; what it does not say is absent. */
export interface AgentUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Millionths of a US dollar. */
  readonly costMicroUsd?: number;
}

/** What an agent itself said came of its work, beside how its process ended. The worse of the two counts. */
export interface AgentReport {
  /** `unfinished`: it never said. */
  readonly verdict: 'completed' | 'failed' | 'unfinished';
  /** In one line, made visible, why it is not completed; absent where it is. */
  readonly message?: string;
  readonly turns: number;
  readonly toolCalls: number;
  /** Tool calls that were refused to it, among them. */
  readonly refusedCalls: number;
  readonly usage?: AgentUsage;
}
