/**
 * An agent for tests that speaks the real protocol over standard input and output and does what its prompt says: a JSON
 * list of `AgentStep`s. Without a `stop` step its turn ends as `end_turn`.
 */
import { writeFileSync, writeSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import {
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  type PermissionOption,
  PROTOCOL_VERSION,
  RequestError,
  type RequestPermissionResponse,
  type SessionUpdate,
  type StopReason,
  type ToolKind,
} from '@agentclientprotocol/sdk';
import { sleep } from '@writ/core';

/** One thing that the agent does. */
export type AgentStep =
  | { readonly do: 'update'; readonly update: SessionUpdate }
  /** Asks for leave, and says what was selected. */
  | { readonly do: 'ask'; readonly kind: ToolKind; readonly title: string; readonly options: PermissionOption[] }
  | { readonly do: 'write'; readonly file: string; readonly text: string }
  /** Writes to standard output what is none of the protocol's. */
  | { readonly do: 'raw'; readonly text: string }
  /** Asks for leave so often, or without end, and reads nothing meanwhile. */
  | { readonly do: 'flood'; readonly times?: number }
  | { readonly do: 'stderr'; readonly text: string }
  | { readonly do: 'exit'; readonly code: number }
  /** Waits until it is cancelled, or for ever where it does not listen; with `retort` it writes that then, and stays. */
  | { readonly do: 'hang'; readonly deaf: boolean; readonly retort?: string }
  | { readonly do: 'stop'; readonly reason: StopReason; readonly usage?: unknown };

/** `--version N` answers the hello with that version, `--mute` not at all, `--no-auth` takes no session, `--stay` never leaves. */
const flags = process.argv.slice(2);
let cancel: () => void = () => {};
const cancelled = new Promise<void>((resolve) => {
  cancel = resolve;
});

/** How a turn ended. */
interface Stopped {
  readonly stopReason: StopReason;
  readonly usage?: unknown;
}

async function take(step: AgentStep, client: AgentContext, sessionId: string): Promise<Stopped | undefined> {
  switch (step.do) {
    case 'update':
      await client.notify(methods.client.session.update, { sessionId, update: step.update });
      return undefined;
    case 'ask': {
      const toolCall = { toolCallId: `call-${step.title}`, kind: step.kind, title: step.title };
      const asked = { sessionId, toolCall, options: step.options };
      const answered = await client.request<RequestPermissionResponse>('session/request_permission', asked);
      const { outcome } = answered;
      const text = `${step.title}: ${outcome.outcome === 'selected' ? outcome.optionId : 'cancelled'}\n`;
      const content = { type: 'text', text } as const;
      await client.notify(methods.client.session.update, {
        sessionId,
        update: { sessionUpdate: 'agent_message_chunk', content },
      });
      return undefined;
    }
    case 'write':
      writeFileSync(step.file, step.text);
      return undefined;
    case 'raw':
      process.stdout.write(step.text);
      return undefined;
    case 'flood':
      flood(step.times ?? Number.POSITIVE_INFINITY);
      return undefined;
    case 'stderr':
      process.stderr.write(step.text);
      return undefined;
    case 'exit':
      process.exit(step.code);
      break;
    case 'hang':
      await (step.deaf ? sleep(600_000) : cancelled);
      if (step.retort !== undefined) {
        process.stdout.write(step.retort);
        await sleep(600_000);
      }
      return { stopReason: 'cancelled' };
    case 'stop':
      return { stopReason: step.reason, usage: step.usage };
  }
}

function flood(times: number): void {
  for (let id = 1000; id < 1000 + times; id += 1) {
    const params = { sessionId: 'one', toolCall: { toolCallId: `${id}`, kind: 'execute', title: 'x' }, options: [] };
    writeAll(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'session/request_permission', params })}\n`);
  }
}

/** Waits, and does nothing else, until all of it has gone. */
function writeAll(text: string): void {
  for (let left = Buffer.from(text); left.length > 0; ) {
    try {
      left = left.subarray(writeSync(1, left));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

const version = flags.includes('--version') ? Number(flags[flags.indexOf('--version') + 1]) : PROTOCOL_VERSION;
agent({ name: 'scripted' })
  .onRequest(methods.agent.initialize, async () => {
    if (flags.includes('--mute')) await sleep(600_000);
    return { protocolVersion: version, agentInfo: { name: 'scripted', version: '1.0' } };
  })
  .onRequest(methods.agent.session.new, () => {
    if (flags.includes('--no-auth')) throw RequestError.authRequired();
    return { sessionId: 'one' };
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const [first] = params.prompt;
    const steps = JSON.parse(first?.type === 'text' ? first.text : '[]') as readonly AgentStep[];
    for (const step of steps) {
      const stopped = await take(step, client, params.sessionId);
      if (stopped !== undefined) return stopped;
    }
    return { stopReason: 'end_turn' as const };
  })
  .onNotification(methods.agent.session.cancel, () => cancel())
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));

// An agent that does not leave when its input ends; without it, the empty event loop is its end.
if (flags.includes('--stay')) await sleep(600_000);
