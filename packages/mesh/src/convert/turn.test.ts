import type { Reply, Turn } from '@writ/delegation';
import { loadServices } from '@writ/wire';
import { describe, expect, it } from 'vitest';
import { eventFromWire, eventToWire } from './event.ts';
import { replyFromWire, replyToWire } from './turn.ts';

const { mesh } = loadServices();

const TURN: Turn = {
  ...{ turn: 3, sinceMs: 7 },
  questions: [
    { id: '3.1', kind: 'input', text: 'two\nlines', choices: ['a', 'b'], askedAtMs: 7 },
    { id: '3.2', kind: 'credential', text: 'token', previous: 'refused', askedAtMs: 8 },
    { id: '3.3', kind: 'approval', text: 'push?', approval: 'ap-1', askedAtMs: 9 },
  ],
};

/** An event as it arrives at the other end. */
function arrived(turn: Turn) {
  const event = { seq: 4, atMs: 5, epoch: 1, kind: 'state', state: 'input_required', turn } as const;
  const { responseSerialize, responseDeserialize } = mesh.Watch;
  return responseDeserialize(responseSerialize(eventToWire('t1', { event })));
}

describe('what a task waits for', () => {
  it('arrives as it was sent', () => {
    expect(eventFromWire(arrived(TURN)).event).toMatchObject({ kind: 'state', turn: TURN });
  });

  it('is taken up to a length in all, however its texts are cut', () => {
    const question = { id: '3.1', kind: 'input', text: 'x'.repeat(32_768), askedAtMs: 1 } as const;
    const turnOf = (count: number) => ({ ...TURN, questions: Array.from({ length: count }, () => question) });
    expect(eventFromWire(arrived(turnOf(32))).event).toMatchObject({ turn: { turn: 3 } });
    expect(() => eventFromWire(arrived(turnOf(33)))).toThrow('longer than 1048576 characters');
  });

  it('is safe to show, whatever a peer sends', () => {
    const [question] = TURN.questions;
    const hostile = {
      id: '3.1',
      kind: 'input',
      text: 'x\u001b[31m\n\u202ey',
      askedAtMs: 1,
      choices: ['\u0007'],
    } as const;
    const { event } = eventFromWire(arrived({ ...TURN, questions: [hostile] }));
    expect(event).toMatchObject({ turn: { questions: [{ text: 'x\\u{1b}[31m\n\\u{202e}y', choices: ['\\u{7}'] }] } });
    const many = Array.from({ length: 65 }, () => ({ ...hostile, ...question, choices: [] }));
    expect(() => eventFromWire(arrived({ ...TURN, questions: many }))).toThrow('64');
    expect(() => eventFromWire(arrived({ ...TURN, questions: [{ ...hostile, id: '' }] }))).toThrow('question.id');
  });
});

/** Bytes of whatever kind as a list. */
function plain(content: Reply['content']): unknown {
  return content.kind === 'input' ? content : { kind: content.kind, secret: [...content.secret] };
}

describe('a reply', () => {
  it.each([
    { question: '1.1', key: 'k', content: { kind: 'input', text: 'main' } },
    { question: '1.1', key: 'k', content: { kind: 'credential', secret: Uint8Array.from([1, 2]) } },
  ] satisfies Reply[])('arrives as it was sent', (reply) => {
    const { requestSerialize, requestDeserialize } = mesh.Reply;
    const there = replyFromWire(requestDeserialize(requestSerialize(replyToWire('t1', reply))));
    expect({ ...there, content: plain(there.content) }).toEqual({ ...reply, content: plain(reply.content) });
  });

  it('without question, key or content is refused', () => {
    const { requestDeserialize, requestSerialize } = mesh.Reply;
    const whole = { task: 't1', question: '1.1', idempotencyKey: 'k', text: 'x' };
    for (const left of ['question', 'idempotencyKey', 'text'] as const) {
      const { [left]: _, ...rest } = whole;
      expect(() => replyFromWire(requestDeserialize(requestSerialize(rest))), left).toThrow();
    }
  });
});
