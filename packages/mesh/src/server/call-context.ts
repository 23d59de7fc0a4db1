import type { Metadata } from '@grpc/grpc-js';
import type { WritError } from '@writ/core';
import type { MethodPolicy } from '../method-table.ts';

/** Who calls, as the TLS connection proves it now. */
export type Caller =
  | { readonly kind: 'peer'; readonly id: string; readonly label: string }
  /** Proved nothing. Known by its remote address only. */
  | { readonly kind: 'stranger'; readonly address: string };

/** What is known of one call; filled by the interceptors in their order, read by the handlers. */
export interface CallContext {
  readonly method: string;
  /** `address:port` of the other end, for the log. */
  readonly remote: string;
  /** Key of its connection; undefined where that is gone already. */
  readonly connection: string | undefined;
  readonly startedAtMs: number;
  /** Aborted with a WritError when the call is over or has to end. */
  readonly signal: AbortSignal;
  /** Ends the call with this error, whatever it is doing. */
  end(error: WritError): void;
  policy?: MethodPolicy;
  caller?: Caller;
  /** True where the connection proves a peer that this node has disabled; it counts as a stranger. */
  isDisabled?: boolean;
  /** Certificate whose key the other end of the connection holds, DER; whether anybody vouches for it is another matter. */
  leafDer?: Uint8Array;
  /** Takes the price of a refusal from the caller's rate. */
  chargeRefusal?: () => void;
  /** True once a handler answers for the call. */
  handled: boolean;
  /** What the handler of a call with one answer still does; it keeps its place until then, answered or not. */
  work?: Promise<unknown>;
}

/**
 * The contexts of the calls under way, by the metadata object that grpc-js hands through interceptors to the handler.
 * No header that a caller sends can stand for one. They leave when their call ends: what a weak map holds stays, with all that it
 * leads to, until the next full collection, once the map is old; young garbage would be next to everything of every call.
 */
export type CallContexts = Map<Metadata, CallContext>;

/** Name of a caller for a log, and the key of its limits. */
export function callerKey(caller: Caller | undefined): string {
  if (caller === undefined) return 'unknown';
  return caller.kind === 'peer' ? caller.id : `address ${caller.address}`;
}
