import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { SpanKind } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';

/** Longest that a collector may take for one batch, milliseconds. */
const PATIENCE_MS = 5_000;

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
 * twice. `onFailure` is told why a batch did not arrive.
 */
export function createOtlpExporter(url: string, onFailure: (reason: string) => void): SpanExporter {
  const open = new Set<Promise<void>>();
  return {
    export(spans, done) {
      const sent = post(url, JSON.stringify(otlpBody(spans)))
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

function post(url: string, body: string): Promise<void> {
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const outgoing = send(url, { method: 'POST', agent: false, headers, timeout: PATIENCE_MS }, (response) => {
      response.resume();
      response.once('end', () => {
        const { statusCode = 0 } = response;
        if (statusCode >= 200 && statusCode < 300) resolve();
        else reject(new Error(`the collector answered ${statusCode}`));
      });
      response.once('error', reject);
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)));
    outgoing.once('error', reject);
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
