import { nextTurn } from '@writ/core';
import type { Caller } from './types.ts';

/** Lets the requests of everybody in, one in each turn of the node's loop. */
export interface Turns {
  /**
   * Resolves when a request of `who` may be worked on: at once where nobody else was let in during this turn of the loop.
   * Whoever waits is let in by turns, however many requests each has.
   */
  next(who: string): Promise<void>;
}

/** Nobody waits at first. What waits is bounded by whoever asks: one request, or a few, for each connection. */
export function createTurns(): Turns {
  const waiting = new Map<string, (() => void)[]>();
  let isTaken = false;
  const pass = async (): Promise<void> => {
    isTaken = true;
    await nextTurn();
    const [next] = waiting;
    if (next === undefined) {
      isTaken = false;
      return;
    }
    const [who, queue] = next;
    const letIn = queue.shift();
    // To the end of the line of those who wait.
    waiting.delete(who);
    if (queue.length > 0) waiting.set(who, queue);
    void pass();
    letIn?.();
  };
  return {
    next(who) {
      if (!isTaken) {
        void pass();
        return Promise.resolve();
      }
      const queue = waiting.get(who) ?? [];
      waiting.set(who, queue);
      return new Promise((resolve) => queue.push(resolve));
    },
  };
}

/** The ways in: agents and the person of this machine have different ones, and who reads events over HTTP a third. */
export type Door = 'mcp' | 'control' | 'events';

/** For whom a request waits its turn: a task by itself whatever it opens, everybody else with who came in the same way. */
export function turnOf(caller: Caller, door: Door): string {
  return caller.kind === 'task' ? `task ${caller.task}` : door;
}
