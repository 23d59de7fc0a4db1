import { specTypeSchemas } from '@modelcontextprotocol/server';
import { visible } from '@writ/core';
import { isRecord } from './record.ts';

/** What requests look like whose parameters a client fills in by hand. */
const REQUESTS = new Map<unknown, keyof typeof specTypeSchemas>([
  ['tools/list', 'ListToolsRequest'],
  ['tools/call', 'CallToolRequest'],
  ['resources/list', 'ListResourcesRequest'],
  ['resources/templates/list', 'ListResourceTemplatesRequest'],
  ['resources/read', 'ReadResourceRequest'],
  ['resources/subscribe', 'SubscribeRequest'],
  ['resources/unsubscribe', 'UnsubscribeRequest'],
  ['prompts/list', 'ListPromptsRequest'],
  ['prompts/get', 'GetPromptRequest'],
]);

/** Longest token of progress, UTF-16 units: each word about a call repeats it. */
const LONGEST_TOKEN = 256;

function isLong(token: unknown): boolean {
  return typeof token === 'string' && token.length > LONGEST_TOKEN;
}

/**
 * What is wrong with the parameters of a request, in words, which the protocol's library says as a dump of its checker or
 * not at all; undefined where nothing is, and for what is no request.
 */
export function faultOfParams(message: unknown): string | undefined {
  if (!isRecord(message) || typeof message.method !== 'string') return undefined;
  const { method, params } = message;
  if ('params' in message && !isRecord(params)) return 'params: they are no object';
  if (isRecord(params) && isRecord(params._meta) && isLong(params._meta.progressToken)) {
    return `params._meta.progressToken: longer than ${LONGEST_TOKEN} characters`;
  }
  const type = REQUESTS.get(method);
  return type === undefined ? undefined : faultOfType(type, message);
}

/** The first thing that keeps a value from being of a type of the protocol: where it is, and what. */
export function faultOfType(type: keyof typeof specTypeSchemas, value: unknown): string | undefined {
  const checked = specTypeSchemas[type]['~standard'].validate(value);
  if (checked instanceof Promise) return undefined;
  const [issue] = checked.issues ?? [];
  if (issue === undefined) return undefined;
  const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return visible(`${path === '' ? '' : `${path}: `}${issue.message}`).slice(0, 200);
}
