import type { IncomingMessage, ServerResponse } from 'node:http';
import { PARSE_ERROR } from '@modelcontextprotocol/server';
import { errorToJson, jsonWeight, WritError, type WritErrorJson } from '@writ/core';
import type { Entrance } from '../entrance.ts';
import type { McpHttp } from '../mcp/mcp-http.ts';
import type { Caller } from '../types.ts';
import { NO_JSON, parseBody, readText } from './body.ts';
import { sendJson } from './responses.ts';
import { HTTP_STATUS } from './statuses.ts';
import { toolsetsOf } from './toolset-header.ts';
import { sendWebResponse, toWebRequest } from './web-exchange.ts';

/** Where MCP is spoken over HTTP. */
export const MCP_HTTP_PATH = '/mcp';

/** Methods of HTTP that it has. */
const METHODS: readonly string[] = ['GET', 'POST', 'DELETE'];

/** JSON-RPC's code for a request that was refused before anybody read its method. */
const REFUSED = -32_000;

/** Serves one request of MCP. Throws BAD_REQUEST for another media type than JSON, RATE_LIMITED. */
export async function serveMcpExchange(
  mcp: McpHttp,
  { request, response, signal }: { request: IncomingMessage; response: ServerResponse; signal: AbortSignal },
  { caller, entrance }: { readonly caller: Caller; readonly entrance: Entrance },
): Promise<void> {
  if (!METHODS.includes(request.method ?? '')) return refuseMethod(response);
  const toolsets = toolsetsOf(request);
  if (request.method === 'POST' && !isJson(request.headers['content-type'])) {
    throw new WritError('BAD_REQUEST', 'messages are sent as application/json');
  }
  let text = '';
  let body: unknown;
  try {
    if (request.method === 'POST') text = await readText(request, entrance);
    else await entrance.turn();
    if (request.method === 'POST') body = parseBody(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return sendRpcFailure(response, errorToJson(new WritError('BAD_REQUEST', NO_JSON)), { code: PARSE_ERROR });
  }
  const leave = entrance.open(jsonWeight(text));
  try {
    const answer = await mcp.fetch({ request: toWebRequest(request, signal), body, caller, toolsets, signal });
    await sendWebResponse(response, answer, { signal, entrance });
  } finally {
    leave();
  }
}

/** Also what no request of the web platform can be, such as TRACE. */
function refuseMethod(response: ServerResponse): void {
  response.setHeader('allow', METHODS.join(', '));
  const nextSteps = ['messages are sent with POST'];
  sendRpcFailure(
    response,
    { code: 'BAD_REQUEST', message: 'MCP has no such method', details: {}, nextSteps },
    { status: 405 },
  );
}

/** Answers what was refused before it reached MCP in the form that its clients read. */
export function sendRpcFailure(
  response: ServerResponse,
  error: WritErrorJson,
  {
    status = HTTP_STATUS[error.code],
    code: rpcCode = REFUSED,
  }: { readonly status?: number; readonly code?: number } = {},
): void {
  if (response.headersSent) {
    response.end();
    return;
  }
  response.setHeader('connection', 'close');
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  const { code, message, nextSteps } = error;
  const data = { code, next_steps: nextSteps };
  sendJson(response, status, { jsonrpc: '2.0', id: null, error: { code: rpcCode, message, data } });
}

/** A page of another origin cannot send this type without asking first. */
function isJson(type: string | undefined): boolean {
  return type?.split(';')[0]?.trim().toLowerCase() === 'application/json';
}
