import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type Cancel, errorFromJson, WritError, type WritErrorJson } from '@writ/core';
import { SETUP_HEADER, TOOLSETS_HEADER } from '../types.ts';
import { answeredError, connectionError, unlessAborted } from './failure.ts';
import { readLines } from './lines.ts';
import { type PipeEnd, pipeBoth } from './mcp-pipe.ts';
import { isUnaccepted, type Patience, watchPatiently } from './patience.ts';
import type { OperationInput, OperationName, OperationOutput, StreamItem, StreamName } from './types.ts';

/** Where a node listens and what proves the caller. */
export interface ControlClientOptions {
  readonly socketPath: string;
  /** Host token, or the token of a task on the socket of that task. */
  readonly token: string;
  /** Credential of the session that calls belong to; absent: each has one of its own. */
  readonly session?: string;
  /** How a node that hangs is noticed; absent: a call waits for as long as its node is there. */
  readonly patience?: Patience;
}

/**
 * Calls to a running node. Every method throws WritErrors only; NOT_RUNNING where nobody listens, CANCELLED after an abort,
 * and what `patience` says for a node that hangs.
 */
export interface ControlClient {
  call<N extends OperationName>(
    name: N,
    input: OperationInput<N>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<OperationOutput<N>>;
  /** Ends early, and tells the node so, when the loop is left or `signal` aborts. */
  stream<N extends StreamName>(
    name: N,
    input: OperationInput<N>,
    options?: { readonly signal?: AbortSignal },
  ): AsyncGenerator<StreamItem<N>, void, undefined>;
  /** Carries MCP between two streams and the node; resolves with who ended it. */
  mcpPipe(
    stdin: NodeJS.ReadableStream,
    stdout: NodeJS.WritableStream,
    options?: {
      /** Such as `commands` or `all`; absent: the default set alone. */
      readonly toolsets?: string;
      /** Every set, and the tools that set a node up. */
      readonly setup?: boolean;
    },
  ): Promise<PipeEnd>;
}

/**
 * A client of the control socket. Opens one connection a call and keeps none, and asks no agent for it: the first thing
 * that an agent does is to learn what an address of IPv6 looks like, which takes longer than a call.
 */
export function createControlClient(options: ControlClientOptions): ControlClient {
  return {
    async call(name, input, { signal } = {}) {
      try {
        const response = await post(options, name, input, signal);
        const text = await readText(response, options.socketPath);
        if (response.statusCode !== 200) throw answeredError(text, response.statusCode ?? 0);
        return parseAnswer(text);
      } catch (error) {
        throw unlessAborted(error, signal);
      }
    },
    async *stream(name, input, { signal } = {}) {
      try {
        const response = await post(options, name, input, signal);
        if (response.statusCode !== 200) {
          throw answeredError(await readText(response, options.socketPath), response.statusCode ?? 0);
        }
        yield* readItems(response, options.socketPath);
      } catch (error) {
        throw unlessAborted(error, signal);
      }
    },
    async mcpPipe(stdin, stdout, { toolsets, setup = false } = {}) {
      const headers = {
        ...(toolsets === undefined ? {} : { [TOOLSETS_HEADER]: toolsets }),
        ...(setup ? { [SETUP_HEADER]: 'yes' } : {}),
      };
      const socket = await upgrade(options, headers);
      return pipeBoth({ socket, stdin, stdout, watchNode: (fail) => watch(options, () => socket, fail) });
    },
  };
}

async function post(
  options: ControlClientOptions,
  name: string,
  input: unknown,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  const body = Buffer.from(JSON.stringify(input));
  const outgoing = request({
    createConnection: () => connect(options.socketPath),
    method: 'POST',
    path: `/v1/${encodeURIComponent(name)}`,
    headers: {
      host: 'localhost',
      authorization: `Bearer ${credential(options.token, 'the token')}`,
      'content-type': 'application/json',
      'content-length': body.length,
      ...(options.session === undefined ? {} : { 'writ-session': credential(options.session, 'WRIT_SESSION') }),
    },
    ...(signal ? { signal } : {}),
  });
  return new Promise((resolve, reject) => {
    const stopWatching = failIfHanging(outgoing, options, reject);
    outgoing.once('response', (response) => {
      response.once('close', stopWatching);
      resolve(response);
    });
    outgoing.on('error', (cause) => {
      stopWatching();
      reject(failureOf(cause, options));
    });
    outgoing.end(body);
  });
}

/** As a header takes it; what has blanks or line ends within proves nothing, and is not shown. Throws TOKEN_INVALID. */
function credential(text: string, what: string): string {
  if (/^[\u0021-\u007e]*$/.test(text)) return text;
  throw new WritError('TOKEN_INVALID', `${what} holds a character that no credential has`, {
    nextSteps: ['give it whole and alone: without blanks, line ends and quotation marks'],
  });
}

/** Watches over a request and, once there is one, its response. */
function failIfHanging(
  outgoing: ClientRequest,
  options: ControlClientOptions,
  reject: (error: WritError) => void,
): Cancel {
  let response: IncomingMessage | undefined;
  outgoing.once('response', (incoming) => {
    response = incoming;
  });
  const fail = (error: WritError): void => {
    reject(error);
    (response ?? outgoing).destroy(error);
  };
  return watch(options, () => outgoing.socket, fail);
}

function watch(
  { socketPath, token, patience }: ControlClientOptions,
  socket: () => Pick<Socket, 'bytesRead'> | null,
  fail: (error: WritError) => void,
): Cancel {
  if (patience === undefined) return () => {};
  return watchPatiently({ socketPath, token, bytesRead: () => socket()?.bytesRead ?? 0, fail }, patience);
}

function failureOf(cause: unknown, { socketPath, patience }: ControlClientOptions): WritError {
  return isUnaccepted(cause) && patience !== undefined ? patience.hangs(0) : connectionError(cause, socketPath);
}

async function readText(response: IncomingMessage, socketPath: string): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer);
  } catch (cause) {
    throw connectionError(cause, socketPath);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The node checked the answer against its schema; what is left to guard against is a program that is no node. */
function parseAnswer<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new WritError('INTERNAL', 'the node answered with something that is no JSON', { cause });
  }
}

async function* readItems<T>(response: IncomingMessage, socketPath: string): AsyncGenerator<T, void, undefined> {
  const lines = readLines(response);
  try {
    while (true) {
      const line = await lines.next().catch((cause: unknown) => {
        throw connectionError(cause, socketPath);
      });
      if (line.done) return;
      const item = parseAnswer<T | { readonly error: Partial<WritErrorJson> }>(line.value);
      if (isFailure(item)) throw errorFromJson(item.error);
      yield item;
    }
  } finally {
    response.destroy();
  }
}

function isFailure(item: unknown): item is { readonly error: Partial<WritErrorJson> } {
  return typeof item === 'object' && item !== null && 'error' in item;
}

async function upgrade(options: ControlClientOptions, wanted: Readonly<Record<string, string>>): Promise<Socket> {
  const outgoing: ClientRequest = request({
    createConnection: () => connect(options.socketPath),
    method: 'GET',
    path: '/v1/mcp',
    headers: {
      host: 'localhost',
      authorization: `Bearer ${credential(options.token, 'the token')}`,
      connection: 'Upgrade',
      upgrade: 'mcp',
      ...wanted,
    },
  });
  return new Promise((resolve, reject) => {
    const stopWatching = failIfHanging(outgoing, options, reject);
    outgoing.once('close', stopWatching);
    outgoing.on('error', (cause) => reject(failureOf(cause, options)));
    outgoing.once('upgrade', (_response, socket: Socket, head) => {
      stopWatching();
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    outgoing.once('response', (response) => {
      readText(response, options.socketPath).then(
        (text) => reject(answeredError(text, response.statusCode ?? 0)),
        reject,
      );
    });
    outgoing.end();
  });
}
