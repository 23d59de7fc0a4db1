import type { Client, Progress } from '@modelcontextprotocol/client';
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { type Cancel, type Clock, createListeners, isWritError, quote, visible, WritError } from '@writ/core';
import type { Executor } from '@writ/delegation';
import type { Decision, PolicyEngine, UpstreamConfig } from '@writ/policy';
import type { GatewayTrace } from '../gateway-ports.ts';
import { actor } from '../operations/actor.ts';
import { ownSession } from '../operations/own-session.ts';
import type { Sessions } from '../ports.ts';
import { tracedUpstream } from '../traced-call.ts';
import type { CallContext, Caller } from '../types.ts';
import type { UpstreamAudit } from '../upstream-ports.ts';
import { type ConnectionParts, createUpstreamConnection, type Up, type UpstreamConnection } from './connection.ts';
import { offeredName, offeredTool, readOfferedName, withSession } from './offered-tool.ts';
import { theirWords } from './their-words.ts';

/** Most tools of one server that are offered. */
const MOST_TOOLS = 128;
/** Time for one call, milliseconds; progress makes it no longer. */
const CALL_MS = 600_000;
/** Longest answer that is handed on, UTF-16 units of its JSON. */
const LARGEST_ANSWER = 4 * 1024 * 1024;

/** How long a list of tools waits for a server that begins, milliseconds: clients do not wait much longer for it. */
const SOON_MS = 1000;

/** What upstream servers stand on. */
export interface UpstreamParts extends ConnectionParts {
  readonly engine: Pick<PolicyEngine, 'snapshot' | 'decideUpstream' | 'onChange'>;
  readonly executor: Pick<Executor, 'get'>;
  readonly sessions: Pick<Sessions, 'startForCall'>;
  readonly audit: UpstreamAudit;
  /** Absent: no call is traced. */
  readonly trace?: GatewayTrace | undefined;
}

/** Tools of other MCP servers, offered through this node under its policy. */
export interface Upstreams {
  /** What the caller may call, of the servers that answer within a second; the others are left out until they do. */
  offered(caller: Caller): Promise<readonly Tool[]>;
  /** Calls back when what is offered may be something else: a late server is up, or one has other tools. Returns how to stop. */
  onChange(listener: () => void): Cancel;
  /** What is wrong with servers that were used, each in a sentence. */
  problems(): readonly { readonly upstream: string; readonly problem: string }[];
  /** True for names that may belong to tools of upstream servers, whether there is one or not. */
  owns(name: string): boolean;
  /** Throws PROFILE_NOT_ALLOWED, NOT_FOUND, UNREACHABLE, WORKER_FAILED, RESULT_TOO_LARGE. */
  call(name: string, args: Readonly<Record<string, unknown>>, context: CallContext): Promise<CallToolResult>;
  close(): Promise<void>;
}

/** No server is started before it is asked for something. */
export function createUpstreams(parts: UpstreamParts): Upstreams {
  const open = new Map<string, UpstreamConnection>();
  const ending = new Set<Promise<void>>();
  const changes = createListeners<void>(parts.logger, 'tools of upstream servers');
  const tellChange = (): void => changes.tell();
  let isClosed = false;
  const end = (connection: UpstreamConnection): void => {
    const ended = connection.close().finally(() => ending.delete(ended));
    ending.add(ended);
  };
  // A server that is no more in the policy, or is another one there, ends with that reload.
  const stopListening = parts.engine.onChange(({ config }) => {
    for (const [name, connection] of open) {
      const now = config.upstreams.get(name);
      if (now !== undefined && wiring(now) === wiring(connection.config)) continue;
      open.delete(name);
      end(connection);
    }
  });
  const connectionOf = (config: UpstreamConfig): UpstreamConnection => {
    if (isClosed) throw new WritError('SHUTTING_DOWN', 'the node is stopping');
    const known = open.get(config.name) ?? createUpstreamConnection(parts, config, tellChange);
    open.set(config.name, known);
    return known;
  };
  return {
    owns: (name) => readOfferedName(name) !== undefined,
    onChange: changes.add,
    problems: () =>
      [...open].flatMap(([upstream, connection]) => connection.problems().map((problem) => ({ upstream, problem }))),
    async offered(caller) {
      const servers = [...parts.engine.snapshot().config.upstreams.values()].filter((server) => isAny(server, caller));
      const lists = await Promise.all(
        servers.map(async (server) => {
          const up = await soon(parts.clock, useIfThere(connectionOf, server), tellChange);
          const listed = { server, tools: up?.tools ?? [], of: up && open.get(server.name) };
          return offeredTools(parts, listed, caller);
        }),
      );
      return lists.flat();
    },
    async call(name, args, context) {
      const { upstream = '', tool = '' } = readOfferedName(name) ?? {};
      const server = parts.engine.snapshot().config.upstreams.get(upstream);
      // Nothing of a name that stands for nothing is written down: whoever calls makes as many of them as it likes.
      if (server === undefined) throw noTool(name);
      const decision = decide(parts, context.caller, upstream, tool);
      const task = context.caller.kind === 'task' ? { task: context.caller.task } : {};
      const entry = { actor: actor(context.caller), upstream, tool, ...task };
      parts.audit.note({ ...entry, allowed: decision.effect === 'allow' });
      if (decision.effect !== 'allow') throw refusal(decision);
      const connection = connectionOf(server);
      const { client, tools } = await connection.use();
      if (!tools.some((one) => one.name === tool)) throw noTool(name);
      const session = () => ownSession(parts, context.caller).id;
      const sent = { name: tool, arguments: withSession(args, server.sessionArgument, session) };
      return tracedUpstream(parts.trace, { upstream, tool, caller: context.caller }, async () => {
        try {
          return await callThere(client, sent, upstream, context);
        } catch (error) {
          connection.note(client, error);
          throw asFailure(error, upstream);
        }
      });
    },
    async close() {
      isClosed = true;
      stopListening();
      for (const connection of open.values()) end(connection);
      open.clear();
      await Promise.all(ending);
    },
  };
}

function decide(parts: UpstreamParts, caller: Caller, upstream: string, tool: string): Decision {
  return parts.engine.decideUpstream({ upstream, tool, ...profileOf(parts, caller) });
}

interface Listed {
  readonly server: UpstreamConfig;
  readonly tools: readonly Tool[];
  /** Told of what is too much; absent for one that is away, or that a reload took away meanwhile. */
  readonly of: UpstreamConnection | undefined;
}

/** The tools of a server that a caller may call, as this node offers them, and no more than are offered of one. */
function offeredTools(parts: UpstreamParts, { server, tools, of }: Listed, caller: Caller): readonly Tool[] {
  const may = tools.filter((tool) => decide(parts, caller, server.name, tool.name).effect === 'allow');
  of?.noteAllowed(caller.kind === 'task' ? 'tasks' : 'agents', may.length, MOST_TOOLS);
  return may.slice(0, MOST_TOOLS).flatMap((tool) => {
    const name = offeredName(server.name, tool.name);
    return name === undefined ? [] : [offeredTool(server.name, name, tool, server.sessionArgument)];
  });
}

async function useIfThere(
  connectionOf: (config: UpstreamConfig) => UpstreamConnection,
  server: UpstreamConfig,
): Promise<Up | undefined> {
  try {
    return await connectionOf(server).use();
  } catch {
    return undefined;
  }
}

/** What comes soon; undefined for what does not, of whose coming `onLater` is told. */
function soon(clock: Clock, coming: Promise<Up | undefined>, onLater: () => void): Promise<Up | undefined> {
  return new Promise((resolve) => {
    let isLate = false;
    const stop = clock.setTimer(SOON_MS, () => {
      isLate = true;
      resolve(undefined);
    });
    void coming.then((up) => {
      stop();
      if (!isLate) resolve(up);
      else if (up !== undefined) onLater();
    });
  });
}

async function callThere(
  client: Client,
  sent: { readonly name: string; readonly arguments: Record<string, unknown> },
  upstream: string,
  { signal, progress }: CallContext,
): Promise<CallToolResult> {
  const onprogress = progress && (({ message }: Progress) => progress({ message: visible(message ?? upstream) }));
  const options = { signal, timeout: CALL_MS, ...(onprogress && { onprogress }) };
  return handedOn((await client.callTool(sent, options)) as CallToolResult, upstream);
}

function wiring({ command, url, env, sessionArgument }: UpstreamConfig): string {
  return JSON.stringify([command, url, env, sessionArgument]);
}

/** Whether anything of it is open to such a caller at all: for nobody nothing is started. */
function isAny(server: UpstreamConfig, { kind }: Caller): boolean {
  return kind === 'task' ? server.tasks.length > 0 && server.profiles.length > 0 : server.agents.length > 0;
}

/** INVARIANT: 1 a task calls under the profile that it runs under; one that is gone has none that is named anywhere. */
function profileOf({ executor }: UpstreamParts, caller: Caller): { readonly profile?: string } {
  if (caller.kind === 'host') return {};
  return { profile: executor.get(caller.task)?.granted.effectiveProfile ?? '' };
}

function refusal({ message, nextSteps }: Decision): WritError {
  return new WritError('PROFILE_NOT_ALLOWED', message, { nextSteps });
}

function noTool(name: string): WritError {
  return new WritError('NOT_FOUND', `there is no tool ${quote(name)}`, { nextSteps: ['list the tools again'] });
}

/** What went wrong there. */
function asFailure(error: unknown, upstream: string): WritError {
  if (isWritError(error)) return error;
  return new WritError('WORKER_FAILED', `the upstream ${quote(upstream)} failed: ${theirWords(error, 500)}`);
}

function handedOn(result: CallToolResult, upstream: string): CallToolResult {
  const { content, structuredContent, isError } = result;
  const answer: CallToolResult = {
    content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isError === undefined ? {} : { isError }),
    _meta: { 'writ/upstream': upstream, 'writ/untrusted': true },
  };
  if (JSON.stringify(answer).length <= LARGEST_ANSWER) return answer;
  throw new WritError('RESULT_TOO_LARGE', `the upstream ${quote(upstream)} answered with too much`);
}
