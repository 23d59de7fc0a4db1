import { nextTurn } from '@writ/core';
import { expect, it } from 'vitest';
import { createTurns, turnOf } from './turns.ts';

/** Asks for a turn, and writes down when it came. */
function createLog() {
  const turns = createTurns();
  const entered: string[] = [];
  const ask = (who: string): Promise<void> => turns.next(who).then(() => void entered.push(who));
  return { ask, letIn: () => entered.splice(0).join(' ') };
}

it('lets one in at once, and the next one in the next turn of the loop', async () => {
  const { ask, letIn } = createLog();
  const all = [ask('a'), ask('a')];
  await Promise.resolve();
  await Promise.resolve();
  expect(letIn()).toBe('a');
  await all[1];
  expect(letIn()).toBe('a');
  // Nobody waits, and nobody was let in during this turn: again at once.
  await nextTurn();
  await nextTurn();
  await ask('a');
  expect(letIn()).toBe('a');
});

it('lets everybody in by turns, however much one of them asks for', async () => {
  const { ask, letIn } = createLog();
  const all = ['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(ask);
  await Promise.all(all);
  expect(letIn()).toBe('a a b c a b a');
});

it('gives a task one turn whatever it opens, and the person another than the agents', () => {
  const task = { kind: 'task', task: 't-1', session: { origin: 'o', id: 's', agent: 'x' } } as const;
  expect(turnOf(task, 'mcp')).toBe(turnOf(task, 'control'));
  expect(turnOf(task, 'mcp')).not.toBe(turnOf({ ...task, task: 't-2' }, 'mcp'));
  expect(turnOf({ kind: 'host' }, 'mcp')).not.toBe(turnOf({ kind: 'host' }, 'control'));
});
