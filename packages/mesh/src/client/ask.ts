import type { Clock, WritError } from '@writ/core';
import type { Init, MeshService, Method } from '@writ/wire';
import { callUnary } from './calls.ts';
import { failureOf, garbageFrom } from './failure.ts';
import type { Link, Links } from './links.ts';

/** Time for an answer, milliseconds. */
export const DEADLINE_MS = 10_000;

/** What every call to a peer needs. */
export interface PeerClientDeps {
  readonly links: Links;
  readonly mesh: MeshService;
  readonly clock: Clock;
}

/** One call with its conversion; what became of it is noted on the link, unless `signal` ends it: then its reason is thrown. */
export function createAsk({ links, clock }: PeerClientDeps, id: string) {
  return async <Request, Response, Result>(
    method: Method<Request, Response>,
    request: Init<Request>,
    convert: (response: Response) => Result,
    deadlineMs: number = DEADLINE_MS,
    signal?: AbortSignal,
  ): Promise<Result> => {
    const link = links.use(id);
    let response: Response;
    try {
      response = await callUnary(link.client, method, request, {
        deadlineMs,
        signal: signal === undefined ? link.signal : AbortSignal.any([signal, link.signal]),
        clock,
        peer: link,
      });
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw noted(links, link, error);
    }
    links.note(id, undefined);
    return converted(link, () => convert(response));
  };
}

/** What a failed call means here, noted on the link. */
export function noted(links: Links, link: Link, thrown: unknown): WritError {
  const error = failureOf(thrown, link);
  links.note(link.id, error);
  return error;
}

/** What a peer's answer says; throws that it answers with garbage. */
export function converted<T>(link: Link, convert: () => T): T {
  try {
    return convert();
  } catch (error) {
    throw garbageFrom(link.label, error);
  }
}
