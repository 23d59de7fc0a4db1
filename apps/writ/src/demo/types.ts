import type { Clock } from '@writ/core';
import type { ControlClient } from '@writ/gateway/client';
import type { Environment } from '../env.ts';
import type { LocalNode } from '../local-mesh/local-node.ts';

/** The work of the scripted agent. */
export interface Mend {
  /** A script for `sh`, run in the clone at beta. */
  readonly script: string;
  /** Argv that tests the outcome. */
  readonly test: readonly string[];
  /** Whether it fails without the work. */
  readonly failsBefore: boolean;
}

/** What the steps of the demo share. */
export interface Stage {
  /** Folder of everything that the demo makes; removed at the end unless it is kept. */
  readonly dir: string;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly alpha: LocalNode;
  readonly beta: LocalNode;
  readonly gamma: LocalNode;
  /** Not paired with anybody. */
  readonly stranger: LocalNode;
  /** The repository that beta offers as workspace `app`. */
  readonly repo: string;
  /** What the scripted agent does in that repository, and how the work is tested afterwards. */
  readonly mend: Mend;
  /** The session of beta's own agent whose plan was approved; set by the step that proposes it. */
  operator?: ControlClient;
  /** The task that mended it; set by the step that asks for it. */
  mended: string;
  /** Shows a line of a task's own output. */
  show(line: string): void;
  /** Id of the lease that a person lent in an earlier step. */
  leaseId: string;
}

/** One step: what is tried, what has to come of it, and how. `run` says what came of it. */
export interface Step {
  readonly name: string;
  readonly expected: string;
  run(stage: Stage): Promise<string>;
}

/** What came of a step. */
export interface StepResult {
  readonly name: string;
  readonly expected: string;
  readonly got: string;
  readonly ok: boolean;
  readonly ms: number;
}
