import { visible } from '@writ/core';
import type { OperationOutput } from '../client/types.ts';
import type { TaskViewData } from '../views/task-view.ts';
import { SELF } from './peer-lookup.ts';
import type { FoundTask, TaskEnds } from './task-lookup.ts';

type Waits = Pick<OperationOutput<'task_show'>, 'waits'>;

/** What a task waits for, since when and who can answer; nothing for one that waits for nobody. */
export function waitsOf(ends: TaskEnds, found: FoundTask): Waits {
  const { asked } = found;
  const record = asked ?? found.executing;
  const waits = (asked === undefined ? ends.executor : ends.origin).waitsFor(record.id);
  if (waits === undefined) return {};
  const { approval, code, message, sinceMs, answerByMs } = waits;
  const node = asked === undefined || asked.peer === SELF ? 'this node' : asked.peerLabel;
  return {
    waits: {
      ...{ who: `a person of ${node}`, approval, code, message: visible(message) },
      ...{ since_ms: sinceMs, answer_by_ms: answerByMs },
    },
  };
}

/** The same in one line, for agents. */
export function waitingOf(ends: TaskEnds, found: FoundTask): Pick<TaskViewData, 'waiting_for'> {
  const { waits } = waitsOf(ends, found);
  if (waits === undefined) return {};
  const { who, approval, message } = waits;
  const [since, until] = [waits.since_ms, waits.answer_by_ms].map((ms) => new Date(ms).toISOString());
  return { waiting_for: `${who}: ${message} (approval ${approval}, since ${since}, until ${until})` };
}
