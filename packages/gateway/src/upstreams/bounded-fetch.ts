import type { FetchLike } from '@modelcontextprotocol/client';
import { createMessageMeter } from './message-bounds.ts';

/** Fetches answers that fail, while they come, at the first message that is larger than any may be. */
export function createBoundedFetch(fetch: FetchLike): FetchLike {
  return async (url, init) => {
    const answer = await fetch(url, init);
    if (answer.body === null) return answer;
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const measure = isStream ? measureEvents() : createMessageMeter().take;
    const bounded = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        measure(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1'));
        controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = answer;
    return new Response(answer.body.pipeThrough(bounded), { status, statusText, headers });
  };
}

/** In a stream of events a message ends with an empty line; all three ways to end a line are one. */
function measureEvents(): (piece: string) => void {
  const meter = createMessageMeter();
  let isEmptyLine = false;
  let before = '';
  return (piece) => {
    let from = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const one = piece.charAt(at);
      const isEnd = one === '\r' || (one === '\n' && before !== '\r');
      if (isEnd && isEmptyLine) {
        meter.take(piece.slice(from, at));
        meter.reset();
        from = at;
      }
      if (isEnd) isEmptyLine = true;
      else if (one !== '\n') isEmptyLine = false;
      before = one;
    }
    meter.take(piece.slice(from));
  };
}
