import { expect, it } from 'vitest';
import type { KeptLook } from './kept-looks.ts';
import { createKeptLooks } from './kept-looks.ts';

const look = (whose: string): KeptLook => ({ whose, rules: [], decided: true, classification: {} as never });

it('drops the oldest of whoever has most, and nothing of anybody else', () => {
  const kept = createKeptLooks({ units: 20, commands: 100 });
  kept.set('mine', look('a'));
  for (let at = 0; at < 50; at += 1) kept.set(`peer${at}`.padEnd(8), look('b'));
  expect(kept.get('mine')).toBeDefined();
  expect([kept.get('peer49  '), kept.get('peer48  '), kept.get('peer47  ')].map((one) => one !== undefined)).toEqual([
    ...[true, true, false],
  ]);
});

it('keeps no more commands than it may, and the one that is larger than all room', () => {
  const kept = createKeptLooks({ units: 20, commands: 2 });
  for (const command of ['a', 'b', 'c']) kept.set(command, look('a'));
  expect(['a', 'b', 'c'].map((command) => kept.get(command) !== undefined)).toEqual([false, true, true]);
  kept.set('x'.repeat(30), look('b'));
  expect(kept.get('x'.repeat(30))).toBeDefined();
});

it('counts a command that is looked at again once', () => {
  const kept = createKeptLooks({ units: 10, commands: 100 });
  for (let at = 0; at < 9; at += 1) kept.set('xxxxx', look('a'));
  kept.set('yyyyy', look('b'));
  expect([kept.get('xxxxx'), kept.get('yyyyy')].every((one) => one !== undefined)).toBe(true);
});
