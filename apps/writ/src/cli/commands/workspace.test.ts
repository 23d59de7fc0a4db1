import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FakeNode, startFakeNode } from '../testing/fake-node.ts';

const KEPT = { state: 'failed', id: 'k-1', dir: '/d', bytes: 2048, since_ms: 0, task: 't-1', workspace: 'app' };
let node: FakeNode;
beforeEach(async () => {
  node = await startFakeNode();
});
afterEach(() => node.stop());

it('what was removed is told without a time to go and a reason to stay', async () => {
  node.answers = { workspace_prune: () => ({ removed: [{ ...KEPT, unbundled: 'none' }] }) };
  const { code, out } = await node.writ('workspace', 'prune');
  expect([code, out.split('\n').map((line) => line.trim().split(/ {2,}/))]).toEqual([
    0,
    [
      ['removed:'],
      ['STATE', 'WORKSPACE', 'SENDER', 'SIZE', 'SINCE', 'ID', 'FOLDER'],
      ['failed', 'app', '2KiB', '1970-01-01T00:00:00.000Z', 'k-1', '/d'],
      [''],
    ],
  ]);
});

it('what is kept says until when, or why nothing removes it', async () => {
  const workspaces = [
    { ...KEPT, unbundled: 'none', due_at_ms: 1000 },
    { ...KEPT, unbundled: 'some' },
    { ...KEPT, unbundled: 'unknown' },
  ];
  node.answers = { workspace_list: () => ({ workspaces, bytes: 0, budget_bytes: 1 }) };
  const { out } = await node.writ('workspace', 'list');
  const [, ...rows] = out.split('\n');
  expect(rows.slice(0, 3)).toEqual([
    expect.stringContaining('  1970-01-01T00:00:01.000Z   '),
    expect.stringContaining('you remove it: changes that are kept nowhere else'),
    expect.stringContaining('you remove it: what it holds is not established'),
  ]);
});
