import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** One turn of a model: it uses a tool, or says its last words. */
export type ModelTurn =
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly say: string };

/** A model that does what a test says, in the two protocols that agents speak. */
export interface ModelServer {
  /** `host:port`; not the loopback address that proxies are told to leave out. */
  readonly address: string;
  /** What it does from now on; turn by turn, as many results of tools as the conversation holds. */
  script(turns: readonly ModelTurn[]): void;
  /** From now on every request is wrong. */
  refuse(): void;
  /** Paths of the requests that came. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** Everything of 127/8 is this machine. */
const HOST = '127.0.0.2';

export async function startModelServer(): Promise<ModelServer> {
  let turns: readonly ModelTurn[] = [];
  let refuses = false;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    void answer(request, response, (results) => (refuses ? undefined : (turns[results] ?? { say: 'nothing more' })));
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  return {
    address: `${HOST}:${(server.address() as AddressInfo).port}`,
    asked,
    script(next) {
      [turns, refuses] = [next, false];
    },
    refuse() {
      refuses = true;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  turnAfter: (results: number) => ModelTurn | undefined,
): Promise<void> {
  const body = await text(request);
  const path = request.url ?? '';
  const isMessages = path.startsWith('/v1/messages') && !path.includes('count_tokens');
  if (!isMessages && !path.startsWith('/v1/responses')) return void response.writeHead(404).end('{}');
  const turn = turnAfter(body.split(isMessages ? '"tool_result"' : '"function_call_output"').length - 1);
  const error = { type: 'error', error: { type: 'invalid_request_error', message: 'nobody is let in' } };
  if (turn === undefined) return void response.writeHead(400).end(JSON.stringify(error));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of isMessages ? messagesOf(turn) : responsesOf(turn)) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

/** As the Messages API streams it. */
function messagesOf(turn: ModelTurn): readonly Event[] {
  const usage = { input_tokens: 10, output_tokens: 1 };
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'scripted', content: [], usage };
  const block =
    'say' in turn ? { type: 'text', text: '' } : { type: 'tool_use', id: 'toolu_1', name: turn.tool, input: {} };
  const delta =
    'say' in turn
      ? { type: 'text_delta', text: turn.say }
      : { type: 'input_json_delta', partial_json: JSON.stringify(turn.input) };
  const reason = 'say' in turn ? 'end_turn' : 'tool_use';
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 7 } },
    { type: 'message_stop' },
  ];
}

/** As the Responses API streams it. */
function responsesOf(turn: ModelTurn): readonly Event[] {
  const usage = { input_tokens: 20, output_tokens: 9, total_tokens: 29 };
  const item =
    'say' in turn
      ? { type: 'message', id: 'i', role: 'assistant', content: [{ type: 'output_text', text: turn.say }] }
      : { type: 'function_call', id: 'i', call_id: 'c', name: turn.tool, arguments: JSON.stringify(turn.input) };
  return [
    { type: 'response.created', response: { id: 'r' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'r', usage } },
  ];
}
