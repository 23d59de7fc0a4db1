import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { SpanKind } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Clock } from '@writ/core';

/** Longest that a collector may take for one batch, from its first byte to the last of the answer, milliseconds. */
const PATIENCE_MS = 5_000;
/** Most batches that are under way at once: all that wait when a node ends, and one that was sent before. */
const MOST_OPEN = 8;

/** What an exporter stands on. */
export interface OtlpExporterOptions {
  readonly clock: Clock;
  /** Told why a batch did not arrive. */
  readonly onFailure: (reason: string) => void;
}

/** OTLP counts the kinds from 1. */
const KINDS: Readonly<Record<SpanKind, number>> = {
  [SpanKind.INTERNAL]: 1,
  [SpanKind.SERVER]: 2,
  [SpanKind.CLIENT]: 3,
  [SpanKind.PRODUCER]: 4,
  [SpanKind.CONSUMER]: 5,
};

/**
 * Sends spans to one URL, as JSON (opentelemetry.io/docs/specs/otlp, version 1); follows no redirect and tries nothing
 * twice. Whatever the collector does, a batch is over after `PATIENCE_MS`, and few are under way; the rest is given up.
 */
export function createOtlpExporter(url: string, { clock, onFailure }: OtlpExporterOptions): SpanExporter {
  const open = new Set<Promise<void>>();
  return {
    export(spans, done) {
      const begun = open.size < MOST_OPEN ? post(url, JSON.stringify(otlpBody(spans)), clock) : Promise.reject(full());
      const sent = begun
        .then(
          () => done({ code: 0 }),
          (error: Error) => {
            onFailure(error.message);
            done({ code: 1, error });
          },
        )
        .finally(() => open.delete(sent));
      open.add(sent);
    },
    async forceFlush() {
      await Promise.all(open);
    },
    async shutdown() {
      await Promise.all(open);
    },
  };
}

function full(): Error {
  return new Error(`${MOST_OPEN} batches wait for the collector`);
}

/** One batch. Its time is a whole one: a collector that sends a byte now and then is never idle. */
function post(url: string, body: string, clock: Clock): Promise<void> {
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise<void>((resolve, reject) => {
    const outgoing = send(url, { method: 'POST', agent: false, headers }, (response) => {
      response.resume();
      response.once('end', () => {
        const { statusCode = 0 } = response;
        if (statusCode >= 200 && statusCode < 300) resolve();
        else reject(new Error(`the collector answered ${statusCode}`));
      });
      response.once('error', reject);
    });
    outgoing.on('error', reject);
    const stop = clock.setTimer(PATIENCE_MS, () => {
      const error = new Error(`no whole answer within ${PATIENCE_MS} ms`);
      // An answer that has begun is cut off with an error of its own.
      reject(error);
      outgoing.destroy(error);
    });
    outgoing.once('close', () => {
      stop();
      // Of a change of protocol, which nobody asked for, nothing else is told.
      reject(new Error('the collector ended the connection without an answer'));
    });
    outgoing.end(body);
  });
}

/** An `ExportTraceServiceRequest` of spans of one resource. */
function otlpBody(spans: readonly ReadableSpan[]): object {
  const [first] = spans;
  if (first === undefined) return { resourceSpans: [] };
  const { name, version } = first.instrumentationScope;
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(first.resource.attributes) },
        scopeSpans: [{ scope: { name, version }, spans: spans.map(otlpSpan) }],
      },
    ],
  };
}

function otlpSpan(span: ReadableSpan): object {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const { parentSpanContext: parent, status } = span;
  return {
    ...{ traceId, spanId, flags: traceFlags, name: span.name, kind: KINDS[span.kind] },
    ...(parent === undefined ? {} : { parentSpanId: parent.spanId }),
    startTimeUnixNano: nanos(span.startTime),
    endTimeUnixNano: nanos(span.endTime),
    attributes: attributesOf(span.attributes),
    status: { code: status.code },
  };
}

const nanos = ([seconds, rest]: readonly [number, number]): string =>
  (BigInt(seconds) * 1_000_000_000n + BigInt(rest)).toString();

function attributesOf(attributes: Readonly<Record<string, unknown>>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: otlpValue(value) }));
}

function otlpValue(value: unknown): object {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { stringValue: String(value) };
}
