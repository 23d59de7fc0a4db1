import { toWritError, WritError } from '@writ/core';
import { shipWorkingTree } from '@writ/evidence';
import type { ShippedInput } from '@writ/task-store';
import { pause } from '../pause.ts';
import type { DelegateRequest } from '../types.ts';
import { backoffMs } from './backoff.ts';
import { outboundRefusal } from './handover.ts';
import type { OriginParts } from './parts.ts';
import { sendAhead } from './sending-ahead.ts';
import { isPassing } from './verdicts.ts';

/** Tries of each call before the wish is given up. */
const TRIES = 3;

/** A wish whose working tree goes along. */
export interface ShippedWish {
  readonly id: string;
  readonly peer: { readonly id: string; readonly label: string };
  readonly request: DelegateRequest;
}

/**
 * Brings the working tree of a wish to where the task will run, as what is missing there. Undefined where this node's
 * own policy is against it: nothing was read then. Throws BAD_REQUEST, GIT_FAILED, UNREACHABLE, what the peer answers.
 */
export async function shipAlong(parts: OriginParts, wish: ShippedWish): Promise<ShippedInput | undefined> {
  const { peer, request } = wish;
  const { repository, workspace } = requireShippable(request);
  if (outboundRefusal(parts, { peer: peer.id, spec: request.spec }, true)) return undefined;
  const { evidence, clock, random } = parts;
  const client = parts.directory.client(peer.id);
  const peerHas = await withRetries(parts, wish, () => client.workspaceCommits(workspace));
  const { git, gitDirRoot, path } = evidence;
  const excludesFile = await evidence.excludesFile?.();
  const { commit, bundle } = await shipWorkingTree({
    ...{ git, gitDirRoot, path, clock, random, repository, peerHas },
    ...(excludesFile === undefined ? {} : { excludesFile }),
    nodeId: evidence.identity.public.id,
    task: wish.id,
    store: evidence.content,
    limits: evidence.limits.collect,
  });
  if (bundle === undefined) return { commit };
  await withRetries(parts, wish, () => sendAhead(parts, client, { workspace, ...bundle }, parts.stopping));
  return { commit, bundle };
}

function requireShippable({ ship, spec, parent }: DelegateRequest): { repository: string; workspace: string } {
  // INVARIANT: 7 a task sees nothing of this machine but its own files.
  if (parent !== undefined) throw new WritError('BAD_REQUEST', 'a task sends no working tree of its node along');
  if (ship === undefined || spec.workspace === undefined) {
    throw new WritError('BAD_REQUEST', 'a working tree is sent along to a workspace, and none is named', {
      nextSteps: ['name the workspace of the peer that it belongs to'],
    });
  }
  if (spec.ref !== undefined) {
    throw new WritError('BAD_REQUEST', 'a working tree is sent along instead of a ref, not beside one', {
      nextSteps: ['leave one of the two out'],
    });
  }
  return { repository: ship, workspace: spec.workspace };
}

/** Makes a call again while it fails for reasons that pass. */
async function withRetries<T>(parts: OriginParts, { peer }: ShippedWish, call: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; ) {
    if (parts.closing()) throw new WritError('SHUTTING_DOWN', 'this node is shutting down');
    try {
      return await call();
    } catch (error) {
      if (!isPassing(error)) throw error;
      failures += 1;
      if (failures >= TRIES) throw unreached(peer.label, error);
    }
    await pause(parts.clock, backoffMs(failures, parts.random), parts.stopping);
  }
}

function unreached(label: string, error: unknown): WritError {
  const { code, message } = toWritError(error);
  if (code === 'DATABASE_ERROR') return toWritError(error);
  return new WritError('UNREACHABLE', `the working tree could not be sent to ${label}: ${message}`, {
    details: { sent: false },
    nextSteps: [`see whether the node runs: writ peer show ${label}`, 'then delegate again'],
    cause: error,
  });
}
