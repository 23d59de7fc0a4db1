import { EventEmitter, once } from 'node:events';
import { createFakeClock } from '@writ/testkit';
import { describe, expect, it } from 'vitest';
import { holdConversation } from './acp-conversation.ts';

/** An agent that answers hello and opens a session, and whose input takes nothing after its prompt. */
async function deafAgent() {
  const spec = {
    runner: { name: 'fixer', kind: 'acp', argv: ['agent'] },
    input: { kind: 'prompt', prompt: 'work' },
  } as const;
  const conversation = holdConversation(
    {
      spec,
      workspace: '/w',
      clock: createFakeClock(0),
      output: { write: async () => {}, note: async () => {}, keep: async () => {} },
      clean: (text: string) => text,
      permit: async () => undefined,
    } as never,
    1,
  );
  const answer = (id: unknown, result: unknown): void =>
    void conversation.take('stdout', Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`));
  let isDeaf = false;
  const news = new EventEmitter();
  const prompted = once(news, 'prompted');
  conversation.begin({
    input: {
      async write(bytes: Uint8Array) {
        if (isDeaf) return new Promise<void>(() => {});
        const { id, method } = JSON.parse(Buffer.from(bytes).toString());
        if (method === 'initialize') answer(id, { protocolVersion: 1, agentCapabilities: {} });
        if (method === 'session/new') answer(id, { sessionId: 's' });
        isDeaf = method === 'session/prompt';
        if (isDeaf) news.emit('prompted');
      },
      end() {},
    } as never,
    dismiss() {},
  });
  await prompted;
  return conversation;
}

describe('an agent that reads nothing any more', () => {
  it('cannot be told to stop, and its end is no fault of the node', async () => {
    const conversation = await deafAgent();
    const rejected: unknown[] = [];
    const note = (reason: unknown): void => void rejected.push(reason);
    process.on('unhandledRejection', note);
    try {
      expect(conversation.interrupt?.()).toBe(true);
      await conversation.finish();
      // Rejections that nobody took are told behind this turn.
      await new Promise((resolve) => setImmediate(resolve));
      expect(rejected).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });
});
