import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { errorToJson, quote, toWritError, WritError } from '@writ/core';
import type { OperationName, OperationOutput } from '../client/types.ts';
import { tellFailure } from '../failure.ts';
import type { CallContext, McpExposure } from '../types.ts';
import { canElicit, clientName } from './client-side.ts';
import type { McpAudience, McpParts } from './mcp-parts.ts';
import { progressOf } from './progress.ts';
import { isRecord } from './record.ts';
import { replyByPerson } from './reply-question.ts';
import type { CallOperation } from './resources.ts';
import { answerResult, failureResult } from './tool-results.ts';

/** Most calls of one client that run at once. */
const MOST_CALLS = 64;

/** The one way from MCP to an operation, for tools and resources alike. */
export interface Calls {
  /** Answers every failure as a result. */
  tool(name: string, input: unknown, context: ServerContext): Promise<CallToolResult | InputRequiredResult>;
  /** Operations in the name of the caller of `context`; they throw. */
  operations(context: ServerContext): CallOperation;
}

/** Calls of one client; `offered` are the tools that it was told of. */
export function createCalls(
  parts: McpParts,
  audience: McpAudience,
  { server, offered }: { readonly server: Server; readonly offered: ReadonlyMap<string, McpExposure> },
): Calls {
  const limited = createLimit();
  const contextOf = (context: ServerContext): CallContext => ({
    caller: audience.withSession(clientName(server, context)),
    signal: context.mcpReq.signal,
    ...progressOf(context),
  });
  const run = (name: string, input: unknown, context: ServerContext): Promise<unknown> =>
    limited(async () => {
      const inside = contextOf(context);
      const call = parts.dispatcher.prepare(name, input, inside.caller);
      if (call.form === 'stream') throw unknownTool();
      return call.run(inside);
    });
  const isForeign = (name: string): boolean => audience.toolsets.includes('upstreams') && parts.upstreams.owns(name);
  const callForeign = (name: string, input: unknown, context: ServerContext): Promise<CallToolResult> =>
    parts.upstreams.call(name, isRecord(input) ? input : {}, contextOf(context));
  const operations =
    (context: ServerContext): CallOperation =>
    async <N extends OperationName>(name: N, input: unknown) =>
      // Checked against the schema of that very operation before it came here.
      (await run(name, input, context)) as OperationOutput<N>;
  return {
    operations,
    async tool(name, input, context) {
      try {
        if (isForeign(name)) return await limited(() => callForeign(name, input, context));
        const exposure = offered.get(name);
        if (exposure === undefined) throw unknownTool();
        refuseHidden(exposure, input);
        if (!asksPerson(name, input)) return answerResult(await run(name, input, context));
        const answer = await replyByPerson(operations(context), input, {
          canElicit: canElicit(server, context),
          responses: context.mcpReq.inputResponses,
          asked: context.mcpReq.requestState<string>(),
        });
        return isInputRequiredResult(answer) ? answer : answerResult(answer);
      } catch (error) {
        // Nobody reads what this answers; what a call of a peer ends with then is no fault.
        if (context.mcpReq.signal.aborted) {
          parts.logger.debug('a call that was cancelled failed', {
            operation: name,
            message: toWritError(error).message,
          });
          return failureResult(errorToJson(cancelled()));
        }
        return failureResult(tellFailure(error, name, audience.caller, parts.logger));
      }
    },
  };
}

/** Runs at most so many at once. Throws RATE_LIMITED. */
function createLimit(): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  return async (work) => {
    running += 1;
    try {
      if (running > MOST_CALLS) throw new WritError('RATE_LIMITED', `more than ${MOST_CALLS} calls at once`);
      return await work();
    } finally {
      running -= 1;
    }
  };
}

/** A reply without a text is one that the person at the client is to give. */
function asksPerson(name: string, input: unknown): input is { readonly task: string; readonly question?: string } {
  if (name !== 'reply' || !isRecord(input)) return false;
  const { task, question, ...rest } = input;
  const isNamed = typeof task === 'string' && (question === undefined || typeof question === 'string');
  return isNamed && Object.keys(rest).every((key) => key === 'idempotency_key');
}

/** INVARIANT: 7 what an agent is not told of it has no say in: a field of a person's own command is none of a tool. */
function refuseHidden({ without = [] }: McpExposure, input: unknown): void {
  const given = isRecord(input) ? without.find((name) => input[name] !== undefined) : undefined;
  if (given !== undefined) throw new WritError('BAD_REQUEST', `unknown key ${quote(given)}`);
}

function cancelled(): WritError {
  return new WritError('CANCELLED', 'nobody waits for the answer any more');
}

function unknownTool(): WritError {
  return new WritError('NOT_FOUND', 'there is no such tool', { nextSteps: ['list the tools again'] });
}
