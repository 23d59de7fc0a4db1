import type { LogFields } from './logger.ts';

/** Which end of what a span is. */
export type SpanKind = 'server' | 'client' | 'internal';

/** A piece of work with a beginning and an end. */
export interface Span {
  /** Its place in the trace, as a W3C `traceparent`; undefined where nothing is traced. */
  readonly traceparent: string | undefined;
  /** Ids, names and codes; never a secret. */
  set(fields: LogFields): void;
  /** Ends it, once; `code` is `OK` or why it failed. */
  end(code: string): void;
  /** Runs `work` so that what it begins, now or later, is inside of this span. */
  run<T>(work: () => T): T;
}

export interface SpanOptions {
  readonly kind: SpanKind;
  /** `traceparent` of the span that it belongs to, perhaps of another node; absent: the one that runs now. */
  readonly parent?: string | undefined;
  readonly fields?: LogFields;
}

/** The port for traces and for what is measured of them; the root implements it, and only where it is configured. */
export interface Tracing {
  start(name: string, options: SpanOptions): Span;
  /** `traceparent` of the span that runs now. */
  current(): string | undefined;
}
