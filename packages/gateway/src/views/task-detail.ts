import type { TaskSpec } from '@writ/delegation';
import type { OperationOutput } from '../client/types.ts';
import type { FoundTask } from '../operations/task-lookup.ts';
import { logReference } from '../transcript-text.ts';
import { type LabelOf, viewTask } from './task-view.ts';

type Detail = Omit<OperationOutput<'task_show'>, 'hops' | 'runs_here' | 'result' | 'turn'>;

/** Everything recorded of a task; where both ends are here, the asking one with what only the executing one knows. */
export function viewTaskDetail(found: FoundTask, labelOf: LabelOf, self: string): Detail {
  const { asked, executing } = found;
  const record = asked ?? executing;
  return {
    ...viewTask(found, labelOf),
    peer_id: asked?.peer ?? executing?.sender ?? '',
    origin: asked?.origin ?? executing?.origin ?? self,
    session: record.session,
    agent: record.agent,
    chain: [...(executing?.chain ?? [])],
    ...(asked?.parent === undefined ? {} : { parent: asked.parent }),
    ...specDetail(record.spec),
    ...(executing?.deadlineMs === undefined ? {} : { deadline_ms: executing.deadlineMs }),
    ...(executing === undefined ? {} : { epoch: executing.epoch }),
    idempotency_key: record.idempotencyKey,
    last_seq: asked?.cursor ?? executing?.lastSeq ?? 0,
    log: logReference(record.id, 0),
  };
}

function specDetail(
  spec: TaskSpec,
): Pick<Detail, 'argv' | 'prompt' | 'runner' | 'ref' | 'timeout_ms' | 'artifact_patterns' | 'shipped'> {
  return {
    ...(spec.input.kind === 'argv' ? { argv: [...spec.input.argv] } : { prompt: spec.input.prompt }),
    ...(spec.runner === undefined ? {} : { runner: spec.runner }),
    ...(spec.ref === undefined ? {} : { ref: spec.ref }),
    ...(spec.timeoutMs === undefined ? {} : { timeout_ms: spec.timeoutMs }),
    ...(spec.artifacts === undefined ? {} : { artifact_patterns: [...spec.artifacts] }),
    ...(spec.shipped === undefined ? {} : { shipped: spec.shipped.commit }),
  };
}
