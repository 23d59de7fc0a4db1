import { createHash } from 'node:crypto';
import { quote, WritError } from '@writ/core';
import type { ReadTx } from '@writ/database';
import { type Applied, type ApplyRequest, applyResult, type VerifiedTree, verifyTree } from '@writ/evidence';
import type { Delivery, Mirror, ShippedInput } from '@writ/task-store';
import type { ReceivedResult } from '../../types.ts';
import type { OriginParts } from '../parts.ts';
import { checkRequest, digestOfCopy, expectedNonce } from './agreement.ts';
import { invalid } from './faults.ts';
import { namedIn } from './named.ts';

/** Most bytes that one read returns. */
const PAGE_BYTES = 1024 * 1024;

/** The result of a task as it was verified when it came; undefined where none has. Throws NOT_FOUND. */
export function readReceived(parts: OriginParts, id: string): ReceivedResult | undefined {
  return parts.database.withReadTx((tx) => {
    const mirror = requireMirror(parts, tx, id);
    const delivery = parts.evidence.results.delivery(tx, id);
    return delivery && receivedOf(parts, tx, mirror, delivery);
  });
}

function receivedOf(parts: OriginParts, tx: ReadTx, mirror: Mirror, delivery: Delivery): ReceivedResult {
  const { standing, receivedAtMs, acknowledgedAtMs, refusedAtMs } = delivery;
  return {
    ...treeOf(parts, tx, delivery.result),
    ...{ standing, receivedAtMs },
    ...(acknowledgedAtMs === undefined ? {} : { acknowledgedAtMs }),
    ...(refusedAtMs === undefined ? {} : { refusedAtMs }),
    late: mirror.outcome?.result !== delivery.result,
  };
}

function treeOf(parts: OriginParts, tx: ReadTx, sha256: string): ReceivedResult['children'][number] {
  const envelope = parts.evidence.results.envelope(tx, sha256);
  if (envelope === undefined) throw invalid('envelope', `${sha256} is not kept here any more`);
  const result = parts.readResult(sha256, envelope);
  return { sha256, result, children: result.children.map((child) => treeOf(parts, tx, child.envelope)) };
}

/** Bytes of something that the result of a task names. Throws NOT_FOUND for anything else. */
export async function readKept(
  parts: OriginParts,
  id: string,
  sha256: string,
  offset: number,
  limit: number,
): Promise<Uint8Array> {
  const received = readReceived(parts, id);
  const most = Math.min(limit, PAGE_BYTES);
  if (received && holds(received, sha256)) {
    const envelope = parts.database.withReadTx((tx) => parts.evidence.results.envelope(tx, sha256));
    if (envelope) return envelope.subarray(offset, offset + most);
  }
  const isNamed = received && namedIn(received.result, parts.evidence.limits).some((named) => named.sha256 === sha256);
  // INVARIANT: 10 whoever reads on from the beginning gets no byte of what has changed here since it was verified.
  if (isNamed && offset === 0 && ![sha256, undefined].includes(await digestOfContent(parts, sha256))) {
    throw invalid('content', 'what is kept here is not what was signed');
  }
  const bytes = isNamed ? await parts.evidence.content.read(sha256, offset, most) : undefined;
  if (bytes) return bytes;
  throw new WritError('NOT_FOUND', `the result of the task has nothing with digest ${quote(sha256)}`, {
    nextSteps: [`see what it has: writ task show ${id}`],
  });
}

function holds(tree: ReceivedResult['children'][number], sha256: string): boolean {
  return tree.sha256 === sha256 || tree.children.some((child) => holds(child, sha256));
}

/** Checks a result again, whole, from what is kept here. Throws NOT_FOUND, EVIDENCE_INVALID. */
export async function verifyKept(parts: OriginParts, id: string): Promise<VerifiedTree> {
  const { database, evidence } = parts;
  const { mirror, delivery } = requireDelivery(parts, id);
  const find = (sha256: string): Uint8Array | undefined =>
    database.withReadTx((tx) => evidence.results.envelope(tx, sha256));
  const envelope = find(delivery.result);
  if (envelope === undefined) throw invalid('envelope', 'it is not kept here any more');
  const expected = { task: id, nonce: expectedNonce(parts, mirror) };
  const tree = await verifyTree({ envelope, expected, trust: evidence.trust, nowMs: database.nowMs(), find });
  if (tree.sha256 !== delivery.result) throw invalid('envelope', 'it is another one than the one that came');
  checkRequest(parts, mirror, tree.result);
  for (const named of namedIn(tree.result, evidence.limits)) {
    if ((await digestOfContent(parts, named.sha256)) !== named.sha256) {
      throw invalid(named.name, 'what is kept here is not what was signed');
    }
  }
  const { transcript } = tree.result;
  const own = transcript && ownOutput(parts, id) === transcript.bytes ? transcript : undefined;
  if (own && (await digestOfCopy(parts, id, own.bytes)) !== own.sha256) {
    throw invalid('transcript', 'what is kept here is not what was signed');
  }
  return tree;
}

/** Verifies a result, then makes a branch of it. */
export async function applyKept(
  parts: OriginParts,
  id: string,
  how: Pick<ApplyRequest, 'repository' | 'check' | 'checkout' | 'shell'>,
): Promise<Applied> {
  const { evidence, clock, random } = parts;
  const { result } = await verifyKept(parts, id);
  const { shipped } = requireDelivery(parts, id).mirror.spec;
  const { git, openRoom, gitDirRoot, path, content, guard, words } = evidence;
  const { changes } = result;
  const bundleFile = changes.kind === 'changed' ? await content.pathOf(changes.bundle.sha256) : '';
  const work = { git, openRoom, gitDirRoot, platform: process.platform, path, clock, random, guard };
  const sent = shipped && { commit: shipped.commit, ...(await bundleOf(parts, shipped)) };
  const limits = evidence.limits.bundle;
  const shippedHere = sent === undefined ? {} : { shipped: sent };
  return applyResult({ ...work, ...how, words, result, bundleFile, limits, ...shippedHere });
}

/** The bundle that went along with a task, as it is kept here; none where the peer had the commit already. */
async function bundleOf({ evidence }: OriginParts, { bundle }: ShippedInput) {
  if (bundle === undefined) return {};
  const { sha256 } = bundle;
  return { bundle: { bundleFile: await evidence.content.pathOf(sha256), sha256 } };
}

function ownOutput({ database, mirrors }: OriginParts, id: string): number {
  return database.withReadTx((tx) => mirrors.outputEnd(tx, id));
}

function requireDelivery(parts: OriginParts, id: string): { readonly mirror: Mirror; readonly delivery: Delivery } {
  return parts.database.withReadTx((tx) => {
    const mirror = requireMirror(parts, tx, id);
    const delivery = parts.evidence.results.delivery(tx, id);
    if (delivery) return { mirror, delivery };
    throw new WritError('NOT_FOUND', 'no signed result of the task is here', {
      nextSteps: [`see how far it is: writ task show ${id}`],
    });
  });
}

function requireMirror({ mirrors }: OriginParts, tx: ReadTx, id: string): Mirror {
  const mirror = mirrors.get(tx, id);
  if (mirror) return mirror;
  throw new WritError('NOT_FOUND', 'no such task', { nextSteps: ['list the tasks: writ task list'] });
}

async function digestOfContent({ evidence }: OriginParts, sha256: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  for (let at = 0; ; ) {
    const piece = await evidence.content.read(sha256, at, PAGE_BYTES);
    if (piece === undefined) return undefined;
    if (piece.length === 0) return hash.digest('hex');
    hash.update(piece);
    at += piece.length;
  }
}
