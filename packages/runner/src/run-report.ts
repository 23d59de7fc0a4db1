import type { AgentReport } from './agent-report.ts';

/** How the process of a run ended; different endings, and the first cause of an ending wins. */
export type Ending =
  | { readonly kind: 'exit'; readonly exitCode: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'timeout'; readonly timeoutMs: number }
  | { readonly kind: 'output-limit'; readonly limitBytes: number }
  | { readonly kind: 'cancel'; readonly cause: string }
  /** It had done what it was asked for and stayed: its node ended it. */
  | { readonly kind: 'dismissed' };

/** How a run ended and what it wrote. */
export interface RunReport {
  /** Never `output-limit`: nothing is killed for volume, what came too much is counted in `truncated`. */
  readonly ending: Ending;
  /** More than `maxOutputBytes` came, or the transcript could not be written. */
  readonly truncated: boolean;
  /** Why the disk of this node refused a part of the output; absent: it did not. */
  readonly unwritten?: string;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Digest and size of what the transcript holds; absent where a part of it could not be written. */
  readonly transcript?: TranscriptDigest;
  /** What the agent said; absent for a runner that is no agent. */
  readonly agent?: AgentReport;
}

/** SHA-256 (lower-case hex) and size of a transcript. */
export interface TranscriptDigest {
  readonly sha256: string;
  readonly bytes: number;
}

/** Why a run is stopped from outside. */
export type StopCause = { readonly kind: 'cancel'; readonly cause: string } | { readonly kind: 'timeout' };
