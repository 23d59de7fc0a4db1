import { isOfCommandLine, isOfOneCall } from '@writ/authority';
import type { Task } from '@writ/task-store';
import type { Place } from './task-queue.ts';

const AGENTS = 'self agents';

/**
 * Where a task waits for a slot, from what its row holds alone, so that a restart puts it there again. Each peer, this
 * machine's person and all of its agents take turns; of the agents each session has a line of its own, and what an agent
 * asks for without one stands in the line of its name.
 */
export function placeOf({ sender, session, agent }: Pick<Task, 'sender' | 'session' | 'agent'>): Place {
  if (sender !== 'self') return { whose: sender, line: '' };
  if (isOfCommandLine({ session, agent })) return { whose: 'self person', line: '' };
  return { whose: AGENTS, line: isOfOneCall(session) ? `agent ${agent}` : `session ${session}` };
}

/** Whose tasks stand in one place, for whoever asks for another. */
export function standingOfWhom({ whose }: Pick<Place, 'whose'>): string {
  return whose === AGENTS ? 'agents of this machine' : 'this sender';
}
