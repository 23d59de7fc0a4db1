import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeNode, runWrit, startFakeNode } from '../testing/fake-node.ts';

let node: FakeNode;
beforeEach(async () => {
  node = await startFakeNode();
  node.answers = {
    peer_list: () => ({
      peers: [{ label: 'beta', link: 'up', outbound_profiles: ['query'], outbound_workspaces: ['app'] }],
    }),
    whoami: () => ({ profiles: ['repo-dev'], workspaces: ['own'] }),
    list_tasks: () => ({ tasks: [{ task: 't-1', state: 'running', work: 'npm\ttest' }] }),
    lease_list: () => ({ leases: [{ id: 'l-1', peer: 'beta', profile: 'repo-dev' }] }),
    approval_list: () => ({ approvals: [{ id: 'a-1', kind: 'task', about: 'x' }] }),
    window_list: () => ({ windows: [{ id: 'w-1', kind: 'assent', agent: 'cli' }] }),
    session_list: () => ({
      sessions: [
        { session: 's-1', agent: 'cli' },
        { session: 's 2', agent: 'evil' },
      ],
    }),
    list_executions: () => ({ executions: [{ execution: 'e-1', state: 'running', work: 'ls' }], sent: [] }),
    approver_list: () => ({ approvers: [{ id: 'p-1', label: 'person' }] }),
  };
});
afterEach(() => node.stop());

async function offered(...words: string[]): Promise<readonly string[]> {
  const { code, out, err } = await node.writ('complete', '--', ...words);
  expect([code, err]).toEqual([0, '']);
  return out.split('\n').filter((line) => line !== '');
}

describe('the end of a command line', () => {
  it.each([
    [
      ['peer', 'show', ''],
      ['beta\tup', 'self\tthis node'],
    ],
    [['peer', 'show', 'b'], ['beta\tup']],
    [['delegate', '-p', 'beta', '--profile', ''], ['query\t']],
    [['delegate', '--peer', 'beta', '--workspace', ''], ['app\t']],
    [['delegate', '-p', 'self', '--profile', ''], ['repo-dev\t']],
    [['policy', 'explain', '--workspace', ''], ['own\t']],
    [['task', 'show', ''], ['t-1\trunning npm\\u{9}test']],
    [['lease', 'revoke', ''], ['l-1\trepo-dev for beta']],
    [['approval', 'show', ''], ['a-1\ttask x']],
    [['window', 'close', ''], ['w-1\tassent for cli']],
    [['session', 'end', ''], ['s-1\tcli']],
    [['execution', 'show', ''], ['e-1\trunning ls']],
    [['approver', 'remove', ''], ['p-1\tperson']],
    [['policy', 'validate', ''], [':paths\t'.slice(0, 6)]],
    [['completion', 'z'], ['zsh\t']],
  ])('%j is %j', async (words, lines) => {
    expect(await offered(...words)).toEqual(lines);
  });

  it('is empty, without a word, where the node says no or does not run', async () => {
    node.answers = {};
    expect(await offered('peer', 'show', '')).toEqual([]);
    expect(await runWrit('/nowhere', ['complete', '--', 'peer', 'show', ''])).toEqual({ code: 0, out: '', err: '' });
  });

  it('is left where the node takes its time', async () => {
    let answer: () => void = () => undefined;
    node.answers.peer_list = () => new Promise((resolve) => (answer = () => resolve({ peers: [] }))) as never;
    expect(await offered('peer', 'show', '')).toEqual([]);
    answer();
  });
});

it.each(['bash', 'zsh', 'fish'])('writ completion %s prints what that shell reads', async (shell) => {
  const { code, out } = await node.writ('completion', shell);
  expect(code).toBe(0);
  expect(out).toContain('writ complete -- ');
});
