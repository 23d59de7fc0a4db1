import type { ControlGroups } from './control-groups/control-groups.ts';
import type { Egress } from './sandbox/network/egress.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import type { Spawner } from './spawned.ts';
import type { Transcripts } from './transcripts.ts';
import type { TaskRunnerOptions } from './types.ts';
import type { Workspaces } from './workspaces.ts';

/** What a start goes through. */
export interface RunnerParts {
  readonly options: TaskRunnerOptions;
  readonly spawner: Spawner;
  readonly workspaces: Workspaces;
  readonly transcripts: Transcripts;
  readonly sandbox: Sandbox;
  readonly egress: Egress;
  readonly groups: ControlGroups;
  /** Between TERM and KILL, milliseconds. */
  readonly graceMs: number;
}
