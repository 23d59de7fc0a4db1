import { Client, StreamableHTTPClientTransport, type Tool, type Transport } from '@modelcontextprotocol/client';
import { type Clock, formatDuration, type Logger, quote, visible, WritError } from '@writ/core';
import type { UpstreamConfig } from '@writ/policy';
import type { UpstreamProcesses } from '../ports.ts';
import { createProcessTransport } from './process-transport.ts';

/** Time to begin with a server, milliseconds. */
const BEGIN_MS = 15_000;
/** Time for a server of an older revision to say that it does not know the current one, milliseconds. */
const PROBE_MS = 3000;
/** Shortest and longest time before a server that ended is started again, milliseconds. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/** What connections stand on. */
export interface ConnectionParts {
  readonly processes: UpstreamProcesses;
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A server that is up, and its tools as it named them. */
export interface Up {
  readonly client: Client;
  readonly tools: readonly Tool[];
}

/** One upstream server: started with the first use, again after it ended, with growing pauses. */
export interface UpstreamConnection {
  readonly config: UpstreamConfig;
  /** Throws UNREACHABLE, also while it pauses. */
  use(): Promise<Up>;
  close(): Promise<void>;
}

/** A connection that nothing was asked of yet. */
export function createUpstreamConnection(parts: ConnectionParts, config: UpstreamConfig): UpstreamConnection {
  const { clock, logger } = parts;
  let current: Promise<Up> | undefined;
  let failures = 0;
  let notBeforeMs = 0;
  let lastClient: Client | undefined;
  let isClosed = false;
  const noteFailure = (reason: string): void => {
    current = undefined;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
    failures += 1;
    notBeforeMs = clock.monotonicMs() + pauseMs;
    if (!isClosed) logger.warn('an upstream server is away', { upstream: config.name, reason, pauseMs });
  };
  const begin = async (): Promise<Up> => {
    const mode = { mode: 'auto', probe: { timeoutMs: PROBE_MS } } as const;
    const client = new Client({ name: 'writ', version: parts.version }, { versionNegotiation: mode });
    lastClient = client;
    let isUp = false;
    client.onclose = () => {
      if (isUp && lastClient === client) noteFailure('it ended');
    };
    try {
      await client.connect(transportOf(parts, config), { timeout: BEGIN_MS });
      const { tools } = await client.listTools({}, { timeout: BEGIN_MS });
      isUp = true;
      failures = 0;
      return { client, tools };
    } catch (error) {
      await client.close().catch(() => {});
      const reason = visible(error instanceof Error ? error.message : String(error)).slice(0, 300);
      noteFailure(reason);
      throw away(config.name, reason);
    }
  };
  return {
    config,
    use() {
      if (isClosed) return Promise.reject(new WritError('SHUTTING_DOWN', 'the node is stopping'));
      const leftMs = notBeforeMs - clock.monotonicMs();
      if (current === undefined && leftMs > 0) {
        return Promise.reject(
          away(config.name, `it is tried again in ${formatDuration(Math.ceil(leftMs / 1000) * 1000)}`),
        );
      }
      current ??= begin();
      return current;
    },
    async close() {
      isClosed = true;
      await current?.catch(() => {});
      await lastClient?.close().catch(() => {});
    },
  };
}

function transportOf({ processes }: ConnectionParts, { command, url, env }: UpstreamConfig): Transport {
  if (command !== undefined) return createProcessTransport(processes, { argv: command, env });
  // What is asked of one server is told to no other.
  return new StreamableHTTPClientTransport(new URL(url ?? ''), { requestInit: { redirect: 'error' } });
}

function away(name: string, reason: string): WritError {
  return new WritError('UNREACHABLE', `the upstream ${quote(name)} does not answer: ${reason}`, {
    nextSteps: [`a person looks at upstreams.${name} in writ.toml, and at the node's log`],
  });
}
