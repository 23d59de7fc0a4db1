import type { Turn } from '@writ/delegation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TASK_TOKEN } from '../testing/fake-node.ts';
import { fakeMirror, fakeTask } from '../testing/fake-records.ts';
import { type Listening, startListening } from '../testing/listening.ts';

const TURN: Turn = {
  ...{ turn: 2, sinceMs: 5 },
  questions: [
    { id: '2.1', kind: 'input', text: 'which branch?', choices: ['main', 'next'], askedAtMs: 5 },
    { id: '2.2', kind: 'approval', text: 'may I push?', approval: 'a-1', askedAtMs: 6 },
    { id: '2.3', kind: 'credential', text: 'token', previous: 'refused', askedAtMs: 7 },
  ],
};

let at: Listening;

beforeEach(async () => {
  at = await startListening();
  at.node.asked.records.set('t-0', fakeMirror('t-0', { state: 'input_required' }));
  at.node.asked.turns.set('t-0', TURN);
});
afterEach(() => at.stop());

describe('a task that waits', () => {
  it('says for what, since when and who can answer, in status, in show and in its events', async () => {
    const turn = {
      ...{ turn: 2, since_ms: 5 },
      questions: [
        {
          id: '2.1',
          kind: 'input',
          text: 'which branch?',
          choices: ['main', 'next'],
          answered_by: 'a reply',
          asked_at_ms: 5,
        },
        { id: '2.2', kind: 'approval', approval: 'a-1', answered_by: 'an approver of the executing node' },
        { id: '2.3', kind: 'credential', previous: 'refused', answered_by: 'a reply' },
      ],
    };
    expect(await at.client.call('status', { task: 't-0' })).toMatchObject({ state: 'input_required', turn });
    expect(await at.client.call('task_show', { task: 't-0' })).toMatchObject({ turn });
    at.node.asked.append('t-0', { kind: 'state', state: 'input_required', turn: TURN });
    for await (const event of at.client.stream('task_watch', { task: 't-0' })) {
      expect(event).toMatchObject({ kind: 'state', turn });
      break;
    }
  });

  it('says it at the executing end, too, and one that goes on waits for nothing', async () => {
    at.node.executing.records.set('t-1', fakeTask('t-1', { state: 'approval_required' }));
    at.node.executing.turns.set('t-1', TURN);
    expect((await at.client.call('status', { task: 't-1' })).turn?.turn).toBe(2);
    at.node.asked.records.set('t-0', fakeMirror('t-0', { state: 'running' }));
    expect((await at.client.call('status', { task: 't-0' })).turn).toBeUndefined();
  });

  it('ends a wait of whoever has to reply, and not of whoever cannot', async () => {
    expect(await at.client.call('wait', { task: 't-0' })).toMatchObject({ state: 'input_required', timed_out: false });
    at.node.asked.records.set('t-0', fakeMirror('t-0', { state: 'approval_required' }));
    const waiting = at.client.call('wait', { task: 't-0', timeout_seconds: 60 });
    await at.node.asked.watched(1);
    at.node.asked.append('t-0', { kind: 'state', state: 'approval_required', turn: TURN });
    at.node.asked.records.set('t-0', fakeMirror('t-0', { state: 'credential_required' }));
    at.node.asked.append('t-0', { kind: 'state', state: 'credential_required', turn: TURN });
    expect(await waiting).toMatchObject({ state: 'credential_required', timed_out: false });
  });
});

describe('reply', () => {
  it('answers the only question of its kind, or the one that is named', async () => {
    await at.client.call('reply', { task: 't-0', text: 'main' });
    await at.client.call('reply_credential', { task: 't-0', secret: 'hush', idempotency_key: 'k' });
    await at.client.call('reply', { task: 't-0', text: 'x', question: '1.9' });
    expect(at.node.asked.replies).toEqual([
      { id: 't-0', question: '2.1', content: { kind: 'input', text: 'main' }, by: 'person' },
      {
        id: 't-0',
        question: '2.3',
        content: { kind: 'credential', secret: Buffer.from('hush') },
        by: 'person',
        key: 'k',
      },
      { id: 't-0', question: '1.9', content: { kind: 'input', text: 'x' }, by: 'person' },
    ]);
    expect(JSON.stringify(at.node.logged)).not.toContain('hush');
  });

  it('asks which, where several are open, and says what the task is, where none is', async () => {
    at.node.asked.turns.set('t-0', {
      ...TURN,
      questions: [...TURN.questions, { ...TURN.questions[0], id: '2.4' } as never],
    });
    const call = (task: string) => at.client.call('reply', { task, text: 'main' });
    await expect(call('t-0')).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('2.1, 2.4'),
    });
    at.node.asked.records.set('t-1', fakeMirror('t-1', { state: 'completed' }));
    await expect(call('t-1')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('completed'),
    });
  });

  it('is for who handed the task over: not for the executing node, and not for the task itself', async () => {
    at.node.executing.records.set('t-1', fakeTask('t-1', { state: 'input_required' }));
    const input = { task: 't-1', text: 'x', question: '1.1' };
    await expect(at.client.call('reply', input)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    at.node.executing.records.set('t-root', fakeTask('t-root', { state: 'input_required' }));
    const task = at.clientWith(TASK_TOKEN);
    await expect(task.call('reply', { ...input, task: 't-root' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    expect(at.node.asked.replies).toEqual([]);
  });

  it('lets a task answer what it handed on, with words and with nothing else', async () => {
    const task = at.clientWith(TASK_TOKEN);
    await expect(task.call('reply', { task: 't-0', text: 'main' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    at.node.children.set('t-0', 't-root');
    await task.call('reply', { task: 't-0', text: 'main' });
    expect(at.node.asked.replies).toMatchObject([{ id: 't-0', by: 'task t-root' }]);
    await expect(task.call('reply_credential', { task: 't-0', secret: 'x' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('ask', () => {
  it('asks in the name of the task that the token proves, and in no other', async () => {
    const questions = [{ text: 'which branch?', choices: ['main'] }];
    await at.clientWith(TASK_TOKEN).call('ask', { questions });
    expect(at.node.executing.asked).toEqual([{ task: 't-root', questions: [{ kind: 'input', ...questions[0] }] }]);
    await expect(at.client.call('ask', { questions })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});
