import { visible } from '@writ/core';
import type { TaskViewData } from '../views/task-view.ts';
import { SELF } from './peer-lookup.ts';
import type { FoundTask, TaskEnds } from './task-lookup.ts';

/** What a task waits for and who can answer; nothing for one that waits for nobody. */
export function waitingOf(ends: TaskEnds, found: FoundTask): Pick<TaskViewData, 'waiting_for'> {
  const { asked } = found;
  const record = asked ?? found.executing;
  const waits = (asked === undefined ? ends.executor : ends.origin).waitsFor(record.id);
  if (waits === undefined) return {};
  const { approval, code, message, sinceMs, answerByMs } = waits;
  const node = asked === undefined || asked.peer === SELF ? 'this node' : asked.peerLabel;
  return {
    waiting_for: {
      ...{ who: `a person of ${node}`, approval, code, message: visible(message) },
      ...{ since_ms: sinceMs, answer_by_ms: answerByMs },
    },
  };
}
