import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  type JSONRPCMessage,
  PARSE_ERROR,
  parseJSONRPCMessage,
} from '@modelcontextprotocol/server';
import { isWritError, parseCounted, type WritError } from '@writ/core';
import { isRecord } from './record.ts';
import { faultOfParams } from './request-params.ts';

/** Longest id of a request that is told back to whoever sent no proper one, UTF-16 units. */
const LONGEST_ID = 256;

const ID_FIRST = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(0|[1-9]\d{0,15}|"[\w.:-]*")\s*,/;
const ID_LAST = /,\s*"id"\s*:\s*(0|[1-9]\d{0,15}|"[\w.:-]*")\s*\}\s*$/;

/** Most messages in one batch: they are worked on in one go. */
const MOST_IN_BATCH = 32;
/** A code of the range that JSON-RPC leaves to servers. */
const NO_ROOM = -32_000;

/** What is answered to a line that is no message. */
export interface LineRefusal {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

/** One message of a line, or what is answered in its place; an answer that is none is answered with nothing. */
export type LineItem = { readonly message: JSONRPCMessage } | { readonly refusal: LineRefusal | undefined };

/** Reads a line; several messages in one are read where the revision has such batches. */
export function readLine(line: string, hasBatches: boolean): readonly LineItem[] {
  if (line.trim() === '') return [];
  let value: unknown;
  try {
    value = parseCounted(line);
  } catch (error) {
    const why = isWritError(error)
      ? invalid(inWords(error), outerId(line))
      : refusalOf(PARSE_ERROR, 'Parse error: the line is not JSON');
    return [{ refusal: why }];
  }
  if (!Array.isArray(value)) return [read(value)];
  if (!hasBatches) return [{ refusal: invalid('this revision of MCP has no batches') }];
  const fault = faultOfBatch(value);
  return fault === undefined ? value.map(read) : [{ refusal: fault }];
}

/** The answer to a batch that is none, or too long; undefined for one that is well, and for what is no batch. */
export function faultOfBatch(value: unknown): LineRefusal | undefined {
  if (!Array.isArray(value)) return undefined;
  if (value.length === 0) return invalid('an empty batch');
  return value.length > MOST_IN_BATCH ? invalid(`a batch has at most ${MOST_IN_BATCH} messages`) : undefined;
}

/** The answer to a request that the node has no room for now. */
export function busy(why: string, id: LineRefusal['id']): LineRefusal {
  return refusalOf(NO_ROOM, `${why}: wait for their answers, then send it again`, id);
}

/** The answer to what is JSON and no message. */
export function invalid(why: string, id: LineRefusal['id'] = null): LineRefusal {
  return refusalOf(INVALID_REQUEST, `Invalid Request: ${why}`, id);
}

function read(value: unknown): LineItem {
  const fault = faultOfRequest(value);
  if (fault !== undefined) return { refusal: fault };
  try {
    return { message: parseJSONRPCMessage(value) };
  } catch {
    // Two that refuse each other's answers would go on for ever.
    return { refusal: isAnswer(value) ? undefined : invalid('not a JSON-RPC 2.0 message', idOf(value)) };
  }
}

/** The answer to a request whose parameters are none; undefined for every other message. */
export function faultOfRequest(value: unknown): LineRefusal | undefined {
  const id = idOf(value);
  if (id === null || !isRecord(value) || value.jsonrpc !== '2.0') return undefined;
  const fault = faultOfParams(value);
  return fault === undefined ? undefined : refusalOf(INVALID_PARAMS, `Invalid params: ${fault}`, id);
}

function refusalOf(code: number, message: string, id: LineRefusal['id'] = null): LineRefusal {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** The id of a request that is not read, where it stands at either end of it, as clients write it; null where it does not. */
function outerId(line: string): LineRefusal['id'] {
  const found = ID_FIRST.exec(line.slice(0, 2 * LONGEST_ID)) ?? ID_LAST.exec(line.slice(-2 * LONGEST_ID));
  return found?.[1] === undefined ? null : idOf({ id: JSON.parse(found[1]) });
}

function inWords({ message, nextSteps }: WritError): string {
  return [message, ...nextSteps].join('; ');
}

function isAnswer(value: unknown): boolean {
  return isRecord(value) && !('method' in value) && ('result' in value || 'error' in value);
}

function idOf(value: unknown): LineRefusal['id'] {
  if (!isRecord(value)) return null;
  const { id } = value;
  if (typeof id === 'number' && Number.isSafeInteger(id)) return id;
  return typeof id === 'string' && id.length <= LONGEST_ID ? id : null;
}
