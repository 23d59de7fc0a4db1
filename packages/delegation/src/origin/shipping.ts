import { realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { isOfCommandLine } from '@writ/authority';
import { pause, quote, type TurnLimits, toWritError, WritError } from '@writ/core';
import { type Shipment, shipTaskFiles, shipWorkingTree } from '@writ/evidence';
import type { ShippedInput } from '@writ/task-store';
import type { DelegateRequest, RunFiles } from '../types.ts';
import { backoffMs } from './backoff.ts';
import { childRefusal, requireContext } from './children.ts';
import { outboundRefusal } from './handover.ts';
import type { OriginParts } from './parts.ts';
import { sendAhead } from './sending-ahead.ts';
import { isPassing } from './verdicts.ts';

type Shipped = Pick<Shipment, 'commit' | 'bundle'>;

/** Tries of each call before the wish is given up. */
const TRIES = 3;

/** A wish whose working tree goes along. */
export interface ShippedWish {
  readonly id: string;
  readonly peer: { readonly id: string; readonly label: string };
  readonly request: DelegateRequest;
}

/** Working trees that are read, bundled and sent at once; of one task, of all agents of this node, or of its person, to one peer. */
export const SHIPPED_AT_ONCE: TurnLimits = { atOnce: 6, each: 2 };
/** Most that wait for that, of each of these. */
const MOST_WAITING = 32;

/**
 * `shipAlong` when it is the asker's turn: a working tree fills the disk and keeps the machine busy before anybody has decided about its
 * task. Throws LIMIT_EXCEEDED where too many wait.
 */
export async function shipInTurn(parts: OriginParts, wish: ShippedWish): Promise<ShippedInput | undefined> {
  const { peer, request } = wish;
  const whose = JSON.stringify([
    request.parent ?? null,
    request.parent === undefined && isOfCommandLine(request),
    peer.id,
  ]);
  const turn = await parts.ships.take({ whose, mostWaiting: MOST_WAITING }, () => shipAlong(parts, wish));
  if (turn.taken) return turn.value;
  throw new WritError('LIMIT_EXCEEDED', `${MOST_WAITING} working trees wait already to be sent to ${peer.label}`, {
    details: { sent: false },
    nextSteps: ['delegate again when some of them are sent'],
  });
}

/**
 * Brings the working tree of a wish to where the task will run, as what is missing there. Undefined where this node's
 * own policy is against it: nothing was read then. Throws BAD_REQUEST, GIT_FAILED, UNREACHABLE, what the peer answers.
 */
async function shipAlong(parts: OriginParts, wish: ShippedWish): Promise<ShippedInput | undefined> {
  const { peer, request } = wish;
  const { repository, workspace } = requireShippable(request);
  if (outboundRefusal(parts, { peer: peer.id, spec: request.spec }, true)) return undefined;
  const client = parts.directory.client(peer.id);
  const { parent } = request;
  const shipment =
    parent === undefined
      ? shipOwners(parts, wish, repository, await withRetries(parts, wish, () => client.workspaceCommits(workspace)))
      : shipTasks(parts, wish, repository, parent);
  const { commit, bundle } = (await shipment) ?? {};
  if (commit === undefined) return undefined;
  if (bundle === undefined) return { commit };
  await withRetries(parts, wish, () => sendAhead(parts, client, { workspace, ...bundle }, parts.stopping));
  return { commit, bundle };
}

async function shipOwners(
  parts: OriginParts,
  wish: ShippedWish,
  repository: string,
  peerHas: readonly string[],
): Promise<Shipped> {
  const { guard, words } = parts.evidence;
  const { shell } = wish.request;
  return shipWorkingTree({ ...workOf(parts, wish), guard, repository, peerHas, ...(words && { words }), shell });
}

/** Undefined where the task may not hand this on; nothing was read then. */
async function shipTasks(
  parts: OriginParts,
  wish: ShippedWish,
  path: string,
  parent: string,
): Promise<Shipped | undefined> {
  const { id, peer, request } = wish;
  const asked = { id, peer: peer.id, peerLabel: peer.label, spec: request.spec };
  const { files, refusal } = parts.database.withReadTx((tx) => {
    const context = requireContext(parts, tx, parent);
    return { files: context.files, refusal: childRefusal(parts, tx, context, asked) };
  });
  if (refusal) return undefined;
  const { clone, dir } = await requireOwnFiles(files, path);
  const { base, objectFormat, source } = clone;
  return shipTaskFiles({
    ...workOf(parts, wish),
    ...{ workspaceDir: dir, base, objectFormat, baseRepository: source },
  });
}

/** INVARIANT: 7 nothing of this machine is there for a task but its own files, by whatever path it names them. */
async function requireOwnFiles(files: RunFiles | undefined, path: string) {
  const { dir, clone } = files ?? {};
  if (dir === undefined || clone === undefined) {
    throw new WritError('BAD_REQUEST', 'this task works on no clone, so that it has none to send along', {
      nextSteps: ['hand the work on without a working tree'],
    });
  }
  // Whether anything is there is not told.
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined || !(real === dir || real.startsWith(`${dir}${sep}`))) {
    throw new WritError('BAD_REQUEST', `${quote(path)} is not in the files of this task`, {
      nextSteps: ['send the clone along that the task works on'],
    });
  }
  const { base, ...rest } = clone;
  if (base !== undefined) return { dir, clone: { ...rest, base } };
  throw new WritError('BAD_REQUEST', 'the workspace had no commit when this task began, so that nothing builds on it', {
    nextSteps: ['hand the work on without a working tree'],
  });
}

function workOf({ evidence, clock, random }: OriginParts, { id: task }: ShippedWish) {
  const { git, openRoom, gitDirRoot, path, content: store, limits } = evidence;
  const nodeId = evidence.identity.public.id;
  const { platform } = process;
  return { git, openRoom, gitDirRoot, platform, path, clock, random, nodeId, task, store, limits: limits.collect };
}

function requireShippable({ ship, spec }: DelegateRequest): { repository: string; workspace: string } {
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
