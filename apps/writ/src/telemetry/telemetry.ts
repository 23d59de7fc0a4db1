import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Clock, Logger, Random, Tracing } from '@writ/core';
import { type CallMeter, createCallMeter } from './call-meter.ts';
import { createNodeTracing } from './node-tracing.ts';
import { createOtlpExporter } from './otlp-exporter.ts';
import { createTaskSpans, type TaskSpans } from './task-spans.ts';

/** What a node is traced and measured with. */
export interface Telemetry {
  readonly tracing: Tracing;
  readonly spans: TaskSpans;
  /** Absent where no metrics are wanted. */
  readonly meter: CallMeter | undefined;
  /** Sends what is left, as far as the collector takes it; over after seconds, and no failure, whatever it does. */
  close(): Promise<void>;
}

export interface TelemetryOptions {
  /** `[telemetry]` of the configuration. */
  readonly config: { readonly traces?: string; readonly metrics?: string };
  readonly node: { readonly id: string; readonly version: string };
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** How often spans are sent, milliseconds, and how many wait for that at most. */
const SEND_EVERY_MS = 1_000;
const MOST_WAITING = 2_048;

/** Opens what is configured; undefined where nothing is, so that nothing costs anything. */
export function openTelemetry({ config, node, clock, random, logger }: TelemetryOptions): Telemetry | undefined {
  if (config.traces === undefined && config.metrics === undefined) return undefined;
  const meter = config.metrics === undefined ? undefined : createCallMeter();
  const provider =
    config.traces === undefined ? undefined : openProvider(config.traces, { node, clock, random, logger });
  const tracer = provider?.getTracer('writ', node.version);
  const tracing = createNodeTracing({ tracer, meter, clock });
  // What the last batches failed with is in the log; a node that ends well must not end as one that failed.
  const close = async (): Promise<void> => provider?.shutdown().catch(() => {});
  return { tracing, spans: createTaskSpans(tracing), meter, close };
}

function openProvider(
  url: string,
  { node, clock, random, logger }: Omit<TelemetryOptions, 'config'>,
): BasicTracerProvider {
  let isTold = false;
  const onFailure = (reason: string): void => {
    // A collector that is away is away for long.
    if (isTold) return;
    isTold = true;
    logger.warn('traces do not arrive', { reason });
  };
  const exporter = createOtlpExporter(url, { clock, onFailure });
  return new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'writ',
      'service.version': node.version,
      'service.instance.id': node.id,
    }),
    idGenerator: {
      generateTraceId: () => Buffer.from(random.bytes(16)).toString('hex'),
      generateSpanId: () => Buffer.from(random.bytes(8)).toString('hex'),
    },
    spanProcessors: [
      new BatchSpanProcessor(exporter, { scheduledDelayMillis: SEND_EVERY_MS, maxQueueSize: MOST_WAITING }),
    ],
  });
}
