import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeNode, startFakeNode } from '../testing/fake-node.ts';

let node: FakeNode;

beforeEach(async () => {
  node = await startFakeNode();
});
afterEach(() => node.stop());

function file(text: string, mode: number): string {
  const path = join(node.home.root, 'reply.txt');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

describe('writ task reply', () => {
  beforeEach(() => {
    node.answers.reply = () => ({ question: '1.2', state: 'input_required', open: 1 });
    node.answers.reply_credential = () => ({ question: '1.1', state: 'running', open: 0 });
  });

  it('sends words, from the command line or a file, and says what is open still', async () => {
    const typed = await node.writ('task', 'reply', 't-1', 'main', '--question', '1.2', '--key', 'k');
    expect(typed).toMatchObject({ code: 0, out: '1.2 is answered; 1 open still\n' });
    await node.writ('task', 'reply', 't-1', '--file', file('two\nlines\n', 0o644));
    expect(node.calls).toEqual([
      { name: 'reply', input: { task: 't-1', text: 'main', question: '1.2', idempotency_key: 'k' } },
      { name: 'reply', input: { task: 't-1', text: 'two\nlines' } },
    ]);
  });

  it('sends a credential from a file of mode 0600, and shows none of it', async () => {
    const given = await node.writ('task', 'reply', 't-1', '--credential', '--file', file('hush\n', 0o600));
    expect(given).toMatchObject({ code: 0, out: '1.1 is answered; the task is running\n', err: '' });
    expect(node.calls).toEqual([{ name: 'reply_credential', input: { task: 't-1', secret: 'hush' } }]);
  });

  it.each([
    ['a credential as an argument', ['--credential', 'hush'], 'never an argument'],
    ['a credential that others can read', ['--credential', '--file', 'OPEN'], 'HOME_INSECURE'],
    ['a credential from nowhere', ['--credential', '--file', 'NONE'], 'there is no file'],
    ['a credential without a terminal', ['--credential'], 'this process has none'],
    ['no reply', [], 'give the reply'],
    ['two replies', ['main', '--file', 'OPEN'], 'give the reply'],
    ['a file that is none', ['--file', 'NONE'], 'cannot be read'],
  ])('refuses %s before anything is sent', async (_, words, message) => {
    const paths = { OPEN: file('hush', 0o644), NONE: join(node.home.root, 'none') };
    const argv = words.map((word) => (word === 'OPEN' || word === 'NONE' ? paths[word] : word));
    const { code, err } = await node.writ('task', 'reply', 't-1', ...argv);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(err).not.toContain('hush');
    expect(node.calls).toEqual([]);
  });
});

describe('writ task ask', () => {
  const answer = (state: string, more: object = {}) => ({ question: '1.1', kind: 'input', state, ...more });

  it('asks each text as a question and prints each answer on a line, exactly', async () => {
    node.answers.ask = () => ({ turn: 1, answers: [answer('answered', { text: 'a\tb' }), answer('approved')] });
    const asked = await node.writ('task', 'ask', 'one?', 'two?', '--choice', 'yes', 'no', '--timeout', '5m');
    expect(asked).toMatchObject({ code: 0, out: 'a\tb\napproved\n' });
    const more = { kind: 'input', choices: ['yes', 'no'] };
    const questions = [
      { text: 'one?', ...more },
      { text: 'two?', ...more },
    ];
    expect(node.calls).toEqual([{ name: 'ask', input: { questions, timeout: '5m' } }]);
  });

  it.each([
    ['denied', 3],
    ['withdrawn', 3],
    ['expired', 5],
  ])('ends with its own code where it is %s, and says why', async (state, code) => {
    node.answers.ask = () => ({ turn: 1, answers: [answer(state, { message: 'because\u001b[31m' })] });
    expect(await node.writ('task', 'ask', '--kind', 'approval', 'may I?')).toMatchObject({
      ...{ code, out: `${state}: because\\u{1b}[31m\n` },
    });
  });
});

describe('writ task watch', () => {
  it('shows each question with the command that answers it', async () => {
    const turn = {
      ...{ turn: 1, since_ms: 1 },
      questions: [
        { id: '1.1', kind: 'input', text: 'which\n\u001b[31m?', choices: ['a', 'b'], answered_by: 'a reply' },
        { id: '1.2', kind: 'credential', text: 'token', previous: 'refused', answered_by: 'a reply' },
        { id: '1.3', kind: 'approval', text: 'push?', answered_by: 'an approver of the executing node' },
      ],
    };
    const outcome = { state: 'completed', message: 'exit 0', truncated: false };
    node.answers.task_watch = () => [
      { kind: 'state', state: 'input_required', turn },
      { kind: 'outcome', outcome },
    ];
    const { err } = await node.writ('task', 'watch', 't-1');
    // Whatever a task says, no row of it looks like one of this program.
    expect(err.split('\n').slice(0, 14)).toEqual([
      'input wanted (1.1):',
      '  | which',
      '  | \\u{1b}[31m?',
      '  one of:',
      '  | a',
      '  | b',
      '  → writ task reply t-1 --question 1.1 TEXT',
      'credential wanted (1.2):',
      '  | token',
      '  the credential given before was refused',
      '  → writ task reply t-1 --question 1.2 --credential',
      'approval wanted (1.3):',
      '  | push?',
      '  → answered by an approver of the executing node',
    ]);
  });
});
