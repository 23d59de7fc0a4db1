import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  type Span as OtelSpan,
  SpanKind as OtelSpanKind,
  ROOT_CONTEXT,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Clock, LogFields, Span, SpanKind, SpanOptions, Tracing } from '@writ/core';
import type { CallMeter } from './call-meter.ts';

const KINDS: Readonly<Record<SpanKind, OtelSpanKind>> = {
  server: OtelSpanKind.SERVER,
  client: OtelSpanKind.CLIENT,
  internal: OtelSpanKind.INTERNAL,
};

export interface NodeTracingOptions {
  /** Absent: nothing is traced, and what is measured is counted all the same. */
  readonly tracer: Tracer | undefined;
  /** Absent: nothing is counted. */
  readonly meter: CallMeter | undefined;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** What one node traces and counts; no other node in this process knows of it. */
export function createNodeTracing({ tracer, meter, clock }: NodeTracingOptions): Tracing {
  const running = new AsyncLocalStorage<Context>();
  const begin = (name: string, { kind, parent, fields }: SpanOptions): OtelSpan | undefined => {
    const above = parent === undefined ? (running.getStore() ?? ROOT_CONTEXT) : contextOf(parent);
    return tracer?.startSpan(name, { kind: KINDS[kind], attributes: attributesOf(fields) }, above);
  };
  return {
    start(name, options) {
      const span = begin(name, options);
      const startedMs = clock.monotonicMs();
      let isOpen = true;
      return {
        traceparent: span === undefined ? undefined : traceparentOf(span),
        set: (fields) => void span?.setAttributes(attributesOf(fields)),
        end(code) {
          if (!isOpen) return;
          isOpen = false;
          meter?.count(name, options.kind, code, clock.monotonicMs() - startedMs);
          span?.setAttribute('code', code);
          span?.setStatus({ code: code === 'OK' ? SpanStatusCode.OK : SpanStatusCode.ERROR });
          span?.end();
        },
        run: (work) => (span === undefined ? work() : running.run(trace.setSpan(ROOT_CONTEXT, span), work)),
      } satisfies Span;
    },
    current() {
      const context = running.getStore();
      const span = context === undefined ? undefined : trace.getSpan(context);
      return span === undefined ? undefined : traceparentOf(span);
    },
  };
}

function attributesOf(fields: LogFields = {}): Record<string, string | number | boolean> {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(known) as Record<string, string | number | boolean>;
}

function traceparentOf(span: OtelSpan): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Whoever takes a `traceparent` from outside has looked at its form. */
function contextOf(traceparent: string): Context {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  const traceFlags = Number.parseInt(flags, 16) & 1;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
