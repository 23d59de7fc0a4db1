import { type ActionRequest, readRequest } from '@writ/authority';
import { quote, toWritError } from '@writ/core';
import { identityWords } from '@writ/identity';
import type { Execution } from '@writ/lease-store';
import type { DeskParts } from './parts.ts';
import { type Proposed, store } from './proposing.ts';
import { hostRefusal, resolveStep } from './resolving.ts';

/** How often in a row one command is asked for anew: what never stands still is left to its caller. */
const MOST_AGAIN = 8;

/** Under which key the command is stored that takes the place of another; no caller's key looks like it. */
export function keyOfNext({ id, idempotencyKey }: Pick<Execution, 'id' | 'idempotencyKey'>): string {
  return `again ${roundOf(idempotencyKey) + 1} ${id}`;
}

/**
 * Asks anew for a command that changed since it was asked for and has ended with that: by the same asker, with the same
 * words, for what it has become.
 */
export async function askAgain(options: DeskParts, execution: Execution): Promise<Proposed | undefined> {
  const request = readRequest(execution.request);
  if (request === undefined || roundOf(execution.idempotencyKey) >= MOST_AGAIN) return undefined;
  try {
    return await propose(options, execution, request);
  } catch (error) {
    const { code, message } = toWritError(error);
    options.logger.warn('a command that changed could not be asked for anew', {
      execution: execution.id,
      code,
      message,
    });
    return undefined;
  }
}

async function propose(options: DeskParts, execution: Execution, request: ActionRequest): Promise<Proposed> {
  const { origin, session, agent, task, requestedBy, profile, basis } = execution;
  const asker = { origin, session, agent, requestedBy, ...(task === undefined ? {} : { task }) };
  const { config } = options.engine.snapshot();
  const peer = [...config.peers.values()].find(({ id }) => id === requestedBy);
  const label = peer?.label ?? config.node.name;
  const shown = {
    label: `${label}, in place of ${quote(execution.id)}`,
    words: identityWords(peer?.id ?? options.self),
  };
  // INVARIANT: 2 it is asked for under what is granted now, not under what it was stored with.
  const rights = options.gate.executions.rights(execution);
  if (!rights.granted) return { proposed: false, refusal: rights.refusal };
  const unisolated = hostRefusal(rights);
  if (unisolated !== undefined) return { proposed: false, refusal: unisolated };
  const resolving = await resolveStep(options, { asker, shown, basis }, rights, request);
  const asking = { asker, basis, endsAtMs: execution.expiresAtMs };
  return store(options, asking, resolving, { idempotencyKey: keyOfNext(execution), profile });
}

function roundOf(key: string): number {
  return Number(/^again (\d+) /.exec(key)?.[1] ?? 0);
}
