import type { PeerCommands } from '@writ/commands';
import { isWritError, quote, WritError } from '@writ/core';
import { answerFromWire, executionFromWire, watchedFromWire } from '../convert/execution.ts';
import { wishToWire } from '../convert/wish.ts';
import { converted, type createAsk, DEADLINE_MS, noted, type PeerClientDeps } from './ask.ts';
import { callStream } from './calls.ts';

/** Time for an answer where the peer hashes what the command is made of, or ends its processes, milliseconds. */
const LONG_DEADLINE_MS = 60_000;

/** Gated commands at one peer. */
export function createPeerCommands(deps: PeerClientDeps, ask: ReturnType<typeof createAsk>, id: string): PeerCommands {
  const { mesh } = deps;
  return {
    execute: ({ id: key, wish, writs }) =>
      sayOlder(deps, id, ask(mesh.Execute, wishToWire(key, wish, writs), answerFromWire, LONG_DEADLINE_MS)),
    cancelExecution: (execution) => {
      const cancelled = ask(
        mesh.CancelExecution,
        { execution },
        (answer) => executionFromWire(answer.execution),
        LONG_DEADLINE_MS,
      );
      return sayOlder(deps, id, cancelled);
    },
    async *watchExecution(execution, offset, signal) {
      const { links, clock } = deps;
      const link = links.use(id);
      const bounds = { deadlineMs: DEADLINE_MS, signal: AbortSignal.any([signal, link.signal]), clock, peer: link };
      try {
        for await (const message of callStream(link.client, mesh.WatchExecution, { execution, offset }, bounds)) {
          yield converted(link, () => watchedFromWire(message));
        }
        links.note(id, undefined);
      } catch (error) {
        // Whoever stopped watching knows that.
        if (signal.aborted) return;
        throw asOlder(link.label, noted(links, link, error));
      }
    },
  };
}

async function sayOlder<T>({ links }: PeerClientDeps, id: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const label = links.status().find((link) => link.id === id)?.label ?? id;
    throw asOlder(label, error);
  }
}

/** A version from before these methods says that there is none of that name. */
function asOlder(label: string, error: unknown): unknown {
  if (!isWritError(error, 'BAD_REQUEST') || error.details.reason !== 'no-method') return error;
  return new WritError('BAD_REQUEST', `${quote(label)} runs a version of Writ that knows no gated commands`, {
    nextSteps: [`have its person update Writ there`, `or hand it a task: writ delegate --peer ${label}`],
    cause: error,
  });
}
