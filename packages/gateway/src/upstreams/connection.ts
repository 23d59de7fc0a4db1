import {
  Client,
  type JsonSchemaValidator,
  type jsonSchemaValidator,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client';
import { type Clock, formatDuration, isWritError, type Logger, quote, WritError } from '@writ/core';
import type { UpstreamConfig } from '@writ/policy';
import type { UpstreamProcesses } from '../upstream-ports.ts';
import { createBoundedFetch } from './bounded-fetch.ts';
import { keepFirstBadPart } from './first-bad-part.ts';
import { createUpstreamProblems, type UpstreamProblems, type Who } from './problems.ts';
import { createProcessTransport } from './process-transport.ts';
import { theirWords } from './their-words.ts';
import { keepWellFormedTools } from './well-formed-tools.ts';

/** Time to begin with a server, milliseconds. */
const BEGIN_MS = 15_000;
/** Time for a server of an older revision to say that it does not know the current one, milliseconds. */
const PROBE_MS = 3000;
/** Shortest and longest time before a server that ended is started again, milliseconds. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

const CUT_OFF: readonly SdkErrorCode[] = [
  SdkErrorCode.NotConnected,
  SdkErrorCode.SendFailed,
  SdkErrorCode.ConnectionClosed,
];

/** What connections stand on. */
export interface ConnectionParts {
  readonly processes: UpstreamProcesses;
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How long a server has to be up before its failures of the past no longer count, milliseconds. */
const STEADY_MS = 60_000;
/** What servers say over HTTP to a session that they do not know, which is what one that was restarted says. */
const LOST_SESSION: readonly number[] = [400, 404];

/** A server that is up, and its tools as it named them last. */
export interface Up {
  readonly client: Client;
  readonly tools: readonly Tool[];
}

/** One upstream server: started with the first use, again after it ended, with growing pauses. */
export interface UpstreamConnection {
  readonly config: UpstreamConfig;
  /** Throws UNREACHABLE, also while it pauses. */
  use(): Promise<Up>;
  /** Told how a call through `client` failed: one that no longer reaches the server is given up for a new one. */
  note(client: Client, error: unknown): void;
  /** Told how many of its tools are open to such callers, and how many they are offered at most. */
  noteAllowed(who: Who, count: number, most: number): void;
  /** What is wrong with it as far as it was used: that it is away and why, the tools that are left out and why. */
  problems(): readonly string[];
  /** Ends it, also while it begins. */
  close(): Promise<void>;
}

/** A connection that nothing was asked of yet. `onTools` is called when a server that is up has other tools than before. */
export function createUpstreamConnection(
  parts: ConnectionParts,
  config: UpstreamConfig,
  onTools: () => void,
): UpstreamConnection {
  const { clock, logger } = parts;
  let current: Promise<Up> | undefined;
  let failures = 0;
  let notBeforeMs = 0;
  let last: { readonly client: Client; readonly transport: Transport } | undefined;
  let upSinceMs: number | undefined;
  let isClosed = false;
  const problems = createUpstreamProblems(logger, config.name);
  const noteFailure = (reason: string): void => {
    current = undefined;
    problems.noteAway(reason);
    if (upSinceMs !== undefined && clock.monotonicMs() - upSinceMs >= STEADY_MS) failures = 0;
    upSinceMs = undefined;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
    failures += 1;
    notBeforeMs = clock.monotonicMs() + pauseMs;
    if (!isClosed) logger.warn('an upstream server is away', { upstream: config.name, reason, pauseMs });
  };
  const begin = async (): Promise<Up> => {
    let tools: readonly Tool[] = [];
    const client = createClient(parts.version, (changed) => {
      tools = changed;
      onTools();
    });
    const transport = transportOf(parts, config);
    last = { client, transport };
    whenEnded(client, (why) => {
      if (upSinceMs !== undefined && last?.client === client) noteFailure(why);
    });
    try {
      await client.connect(transport, { timeout: BEGIN_MS });
      keepWellFormed(transport, config.name, problems);
      ({ tools } = await client.listTools({}, { timeout: BEGIN_MS }));
      problems.noteAway(undefined);
      upSinceMs = clock.monotonicMs();
      return {
        client,
        get tools() {
          return tools;
        },
      };
    } catch (error) {
      await client.close().catch(() => {});
      const reason = theirWords(error, 300);
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
    note(client, error) {
      if (last?.client === client && isCutOff(error)) void client.close().catch(() => {});
    },
    ...{ noteAllowed: problems.noteAllowed, problems: problems.list },
    async close() {
      isClosed = true;
      // One that hangs at its beginning is not waited for: the client has its transport only after that.
      await last?.transport.close().catch(() => {});
      await current?.catch(() => {});
      await last?.client.close().catch(() => {});
    },
  };
}

/** Of what a server sends, what would make its client refuse all of it at length. */
function keepWellFormed(transport: Transport, upstream: string, { noteLeftOut }: UpstreamProblems): void {
  keepFirstBadPart(transport);
  keepWellFormedTools(transport, upstream, noteLeftOut);
}

/**
 * Nothing that a server writes into a schema is executed here: one expression of it can go on for ever, and a node does nothing
 * else meanwhile. What it answers is handed on as somebody else's words, whether they fit its own schema or not.
 */
const UNCHECKED: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (data) => ({ valid: true, data: data as T, errorMessage: undefined });
  },
};

function createClient(version: string, onTools: (tools: readonly Tool[]) => void): Client {
  const versionNegotiation = { mode: 'auto', probe: { timeoutMs: PROBE_MS } } as const;
  const tools = { onChanged: (_: Error | null, changed: Tool[] | null) => changed && onTools(changed) };
  const options = { versionNegotiation, listChanged: { tools }, jsonSchemaValidator: UNCHECKED };
  return new Client({ name: 'writ', version }, options);
}

/** Calls back once the connection of a client is over, and says why. */
function whenEnded(client: Client, tell: (why: string) => void): void {
  let why = 'it ended';
  client.onerror = (error) => {
    // What this node refuses of it, its transport ends it for.
    if (isWritError(error)) why = `it was ended: ${error.message}`;
  };
  client.onclose = () => tell(why);
}

/** Whether a call failed because its client reaches the server no more; what the server itself answers is none of it. */
function isCutOff(error: unknown): boolean {
  if (error instanceof SdkHttpError) return LOST_SESSION.includes(error.status);
  if (error instanceof SdkError) return CUT_OFF.includes(error.code);
  // What `fetch` throws where nobody listens.
  return error instanceof TypeError;
}

function transportOf({ processes }: ConnectionParts, { command, url, env }: UpstreamConfig): Transport {
  if (command !== undefined) return createProcessTransport(processes, { argv: command, env });
  // What is asked of one server is told to no other.
  const requestInit = { redirect: 'error' } as const;
  return new StreamableHTTPClientTransport(new URL(url ?? ''), { requestInit, fetch: createBoundedFetch(fetch) });
}

function away(name: string, reason: string): WritError {
  return new WritError('UNREACHABLE', `the upstream ${quote(name)} does not answer: ${reason}`, {
    nextSteps: [`a person looks at upstreams.${name} in writ.toml, and at the node's log`],
  });
}
