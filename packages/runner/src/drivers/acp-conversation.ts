import { type ClientContext, client, methods, RequestError, type Stream } from '@agentclientprotocol/sdk';
import type { Cancel, Clock } from '@writ/core';
import type { ToolAnswer, ToolRequest } from '../tool-request.ts';
import { type Guard, guardMessages } from './acp-guard.ts';
import { permissionAnswer } from './acp-permission.ts';
import { sessionUpdateIn } from './acp-session-update.ts';
import { createToolCalls, readUpdate, type ToolCalls } from './acp-updates.ts';
import { readTurnUsage } from './acp-usage.ts';
import { type AgentLog, createAgentLog } from './agent-log.ts';
import type { Conversation, ConversationParts, Partner } from './driver.ts';
import { promptOf } from './input.ts';

/** How long an agent may take to say that it is there, milliseconds. */
const HELLO_MS = 60_000;
/** How long it may take to leave once its input is closed, milliseconds. */
const LEAVE_MS = 5_000;
/** Most refusals of one conversation that somebody decided: each leaves traces, and an agent can ask without end. */
const MOST_REFUSED = 200;
const TOO_OFTEN: ToolAnswer = { allowed: false, reason: 'too much was refused already: nothing is asked any more' };
/** The protocol's code for an agent that nobody has signed in. */
const AUTH_REQUIRED = -32_000;

/** What one conversation is made of. */
interface Talk extends ConversationParts {
  readonly log: AgentLog;
  readonly calls: ToolCalls;
  /** Aborted when the agent is asked to stop, or has gone. */
  readonly over: AbortController;
}

/** One session with one prompt: hello, session, turn, goodbye. */
export function holdConversation(parts: ConversationParts, version: number): Conversation {
  const log = createAgentLog(parts.output, parts.clean);
  const talk: Talk = { ...parts, log, calls: createToolCalls(), over: new AbortController() };
  let cancelTurn: (() => void) | undefined;
  /** It was told to stop, and asks on: nothing that it says is of use to anybody. */
  let isDeaf = false;
  let guard: Guard | undefined;
  let talking: Promise<void> = Promise.resolve();
  return {
    begin(partner) {
      const sendAway = (): void => {
        isDeaf = true;
        partner.dismiss();
      };
      guard = guardOf(talk, { input: partner.input, dismiss: sendAway });
      const agent = connect(talk, guard.stream);
      talking = converse(talk, agent, version, (session) => {
        // An agent that reads nothing any more cannot be told; it is ended as any other process.
        const cancel = (sessionId: string): void =>
          void agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => {});
        cancelTurn = session === undefined ? undefined : () => cancel(session);
      })
        .catch((error: unknown) => log.end('failed', failureOf(error)))
        .then(() => leave(talk, partner));
    },
    async take(stream, bytes) {
      if (stream === 'stderr') return log.own(bytes);
      if (!isDeaf) await guard?.take(bytes);
      await log.written();
    },
    interrupt() {
      // First, and whatever it is at: it may have asked for more than anybody can answer before it is gone.
      talk.over.abort();
      if (log.ended || cancelTurn === undefined) return false;
      cancelTurn();
      return true;
    },
    gone: () => talk.over.abort(),
    async finish() {
      talk.over.abort();
      await guard?.close();
      await talking;
      log.endWords();
      await log.written();
      return log.report();
    },
  };
}

function guardOf({ over, log, calls }: Talk, { input, dismiss }: Partner): Guard {
  return guardMessages({
    write: (bytes) => input.write(bytes),
    over: over.signal,
    deaf: dismiss,
    async notified(method, params) {
      const update = method === methods.client.session.update ? sessionUpdateIn(params) : undefined;
      if (update !== undefined) readUpdate(update, log, calls);
      await log.room();
    },
  });
}

function connect(talk: Talk, stream: Stream): ClientContext {
  return client({ name: 'writ' })
    .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
      const { toolCall, options } = params;
      const request = talk.calls.requestOf(toolCall);
      const waiting = AbortSignal.any([signal, talk.over.signal]);
      // What nobody waits for any more is asked of nobody, and leaves no trace.
      if (waiting.aborted) return { outcome: permissionAnswer(options, undefined) };
      const answer = talk.log.refusedCalls < MOST_REFUSED ? await leaveFor(talk, request, waiting) : TOO_OFTEN;
      if (answer?.allowed === false) talk.log.refusal(`${request.kind} ${request.title}`, answer.reason);
      if (answer?.allowed && answer.by !== undefined) {
        talk.log.note(`allowed: ${request.kind} ${request.title}: by ${answer.by}`);
      }
      return { outcome: permissionAnswer(options, waiting.aborted ? undefined : answer) };
    })
    .connect(stream).agent;
}

function leaveFor(talk: Talk, request: ToolRequest, waiting: AbortSignal): Promise<ToolAnswer | undefined> {
  return talk.permit(request, waiting).catch(() => undefined);
}

async function converse(
  { spec, workspace, log, clock }: Talk,
  agent: ClientContext,
  version: number,
  onTurn: (session: string | undefined) => void,
): Promise<void> {
  const hello = await withinTime(
    agent.request(methods.agent.initialize, {
      protocolVersion: version,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    }),
    clock,
  );
  if (hello.protocolVersion !== version) {
    log.end('failed', `it speaks version ${hello.protocolVersion} of the agent client protocol, and not ${version}`);
    return;
  }
  const { agentInfo } = hello;
  if (agentInfo) log.note(`agent: ${agentInfo.name} ${agentInfo.version}`);
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd: workspace, mcpServers: [] });
  onTurn(sessionId);
  log.turn();
  const text = promptOf(spec.runner, spec.input);
  const answer = await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] });
  const { stopReason } = answer;
  onTurn(undefined);
  readTurnUsage(answer, log);
  // INVARIANT: 10 an agent that gave up has not done its work, however well its process ends.
  if (stopReason === 'end_turn') log.end('completed');
  else log.end('failed', `it stopped: ${stopReason.replaceAll('_', ' ')}`);
}

async function withinTime<T>(answer: Promise<T>, clock: Clock): Promise<T> {
  let cancel: Cancel = () => {};
  const late = new Promise<never>((_, reject) => {
    cancel = clock.setTimer(HELLO_MS, () => reject(new Error(`it did not answer within ${HELLO_MS / 1000} s`)));
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    cancel();
  }
}

/** Its input is closed; an agent that stays all the same is sent away. */
function leave({ clock, over }: Talk, partner: Partner): void {
  partner.input.end();
  if (over.signal.aborted) return;
  const cancel = clock.setTimer(LEAVE_MS, () => partner.dismiss());
  over.signal.addEventListener('abort', cancel, { once: true });
}

function failureOf(error: unknown): string {
  if (error instanceof RequestError && error.code === AUTH_REQUIRED) {
    return 'it is not signed in: sign in with the agent’s own program as the user that its task runs as';
  }
  return error instanceof Error ? error.message : String(error);
}
