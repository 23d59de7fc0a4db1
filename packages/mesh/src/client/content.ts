import { WritError } from '@writ/core';
import type { FetchArtifactRequest, Init, UploadInputRequest } from '@writ/wire';
import { readBytes } from '../convert/fields.ts';
import { resultFromWire } from '../convert/result.ts';
import { converted, type createAsk, DEADLINE_MS, noted, type PeerClientDeps } from './ask.ts';
import { callIntake, callStream } from './calls.ts';
import { garbageFrom, unreachable } from './failure.ts';

/** Time for each piece of content, milliseconds, and for the whole of an envelope. */
const STALL_MS = 30_000;
const ENVELOPE_MS = 300_000;

/** What the result of a task names, from an offset to its end. Throws the reason of `signal` when that is aborted. */
export async function* fetchContent(
  { links, mesh, clock }: PeerClientDeps,
  id: string,
  request: FetchArtifactRequest,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const link = links.use(id);
  const bounds = { deadlineMs: DEADLINE_MS, stallMs: STALL_MS, signal: AbortSignal.any([signal, link.signal]), clock };
  try {
    for await (const { data } of callStream(link.client, mesh.FetchArtifact, request, { ...bounds, peer: link })) {
      // Somebody could go on with it for ever.
      if (data.length === 0) throw garbageFrom(link.label, new WritError('BAD_REQUEST', 'data: is empty'));
      yield data;
    }
    links.note(id, undefined);
  } catch (error) {
    // Unlike the end of a watch, an end here means that all is there.
    if (signal.aborted) throw signal.reason;
    throw noted(links, link, error);
  }
}

/** The envelope of a task's result, in the answer or fetched by its digest, which is not checked. Throws NOT_FOUND. */
export async function getResult(
  deps: PeerClientDeps,
  ask: ReturnType<typeof createAsk>,
  id: string,
  task: string,
): Promise<Uint8Array> {
  const { sha256, bytes, envelope } = await ask(deps.mesh.GetResult, { task }, resultFromWire);
  if (envelope !== undefined) return envelope;
  const link = deps.links.use(id);
  const late = new AbortController();
  const cancel = deps.clock.setTimer(ENVELOPE_MS, () =>
    late.abort(unreachable(link, `no whole result within ${ENVELOPE_MS} ms`)),
  );
  try {
    const whole = new Uint8Array(bytes);
    let length = 0;
    for await (const piece of fetchContent(deps, id, { task, sha256, offset: 0 }, late.signal)) {
      converted(link, () => whole.set(readBytes('envelope', piece, bytes - length), length));
      length += piece.length;
    }
    if (length === bytes) return whole;
    throw garbageFrom(link.label, new WritError('BAD_REQUEST', `the result ends after ${length} of ${bytes} bytes`));
  } finally {
    cancel();
  }
}

/** Sends a bundle ahead. Throws the reason of `signal` when that is aborted, and what `messages` throws. */
export async function uploadInput(
  { links, mesh, clock }: PeerClientDeps,
  id: string,
  messages: AsyncIterable<Init<UploadInputRequest>>,
  signal: AbortSignal,
): Promise<void> {
  const link = links.use(id);
  const bounds = { deadlineMs: DEADLINE_MS, stallMs: STALL_MS, signal: AbortSignal.any([signal, link.signal]), clock };
  let fault: { readonly thrown: unknown } | undefined;
  async function* watched(): AsyncGenerator<Init<UploadInputRequest>> {
    try {
      yield* messages;
    } catch (thrown) {
      fault = { thrown };
      throw thrown;
    }
  }
  try {
    await callIntake(link.client, mesh.UploadInput, watched(), { ...bounds, peer: link });
    links.note(id, undefined);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    // This node could not read what it sends, which says nothing of the peer.
    if (fault !== undefined) throw fault.thrown;
    throw noted(links, link, error);
  }
}
