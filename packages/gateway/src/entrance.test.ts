import { expect, it } from 'vitest';
import { createEntrances } from './entrance.ts';
import type { Door } from './turns.ts';
import type { Caller } from './types.ts';

const MIB = 1024 * 1024;
const HOST = { kind: 'host' } as Caller;

it('what began first makes room for what there is too much of, and is told so once', () => {
  const entrance = createEntrances()(HOST, 'mcp');
  const left: string[] = [];
  const message = (name: string) => entrance.hold(() => void left.push(name));
  const [first, second, third] = [message('first'), message('second'), message('third')];
  first.set(4 * MIB);
  second.set(10 * MIB);
  third.set(2 * MIB);
  expect(left).toEqual([]);
  third.set(3 * MIB);
  expect(left).toEqual(['first']);
  third.set(16 * MIB);
  expect(left).toEqual(['first', 'second']);
  third.set(0);
  const fourth = message('fourth');
  fourth.set(16 * MIB);
  expect(left).toEqual(['first', 'second']);
});

it('what is small is not counted, and each caller and door has room of its own', () => {
  const enter = createEntrances();
  const left: string[] = [];
  for (let small = 0; small < 1000; small += 1)
    enter(HOST, 'mcp')
      .hold(() => void left.push('small'))
      .set(64 * 1024);
  enter(HOST, 'mcp')
    .hold(() => void left.push('mcp'))
    .set(16 * MIB);
  enter(HOST, 'control')
    .hold(() => void left.push('control'))
    .set(16 * MIB);
  enter({ kind: 'task', task: 't' } as Caller, 'mcp')
    .hold(() => void left.push('task'))
    .set(16 * MIB);
  expect(left).toEqual([]);
});

it('counts what is open of a caller over all its connections until it is answered, small requests too', () => {
  const enter = createEntrances();
  const leaves = Array.from({ length: 7 }, () => enter(HOST, 'mcp').open(4 * MIB));
  expect(() => enter(HOST, 'mcp').open(4 * MIB)).toThrow('requests of more than 32MiB are open');
  // Another door, and a task, have room of their own.
  enter(HOST, 'control').open(4 * MIB);
  enter({ kind: 'task', task: 't' } as Caller, 'mcp').open(4 * MIB);
  for (const leave of [...leaves, ...leaves]) leave();
  // What is small is let in beside it: nobody keeps a person from taking back what they gave.
  for (let large = 0; large < 6; large += 1) enter(HOST, 'control').open(4 * MIB);
  expect(() => enter(HOST, 'control').open(65 * 1024 * 1024)).toThrow('are open');
  enter(HOST, 'control').open(64 * 1024);
});

it('keeps 64 MiB of answers that nobody takes; the oldest ends', () => {
  const enter = createEntrances();
  const ended: string[] = [];
  const answer = (name: string) => enter(HOST, 'mcp').keep(() => void ended.push(name));
  answer('first').set(40 * MIB);
  answer('second').set(24 * MIB);
  expect(ended).toEqual([]);
  answer('third').set(MIB);
  expect(ended).toEqual(['first']);
});

it('small requests have room beside the large ones, and no end of it at the person’s own door alone', () => {
  const enter = createEntrances();
  const most = (caller: Caller, door: Door, bytes: number): number => {
    const entrance = enter(caller, door);
    for (let count = 0; count < 10_000; count += 1) {
      try {
        entrance.open(bytes);
      } catch {
        return count;
      }
    }
    return Number.POSITIVE_INFINITY;
  };
  const task = (id: string): Caller => ({ kind: 'task', task: id }) as Caller;
  // 40 MiB of 64 + 16 KiB each, and of 16 KiB each.
  expect(most(HOST, 'mcp', 64 * 1024)).toBe(512);
  expect(most(task('a'), 'mcp', 0)).toBe(2560);
  expect(most(task('b'), 'control', 0)).toBe(2560);
  expect(most(HOST, 'control', 0)).toBe(Number.POSITIVE_INFINITY);
  // Eight of four: the large ones of a task leave room for the small.
  expect(most(task('c'), 'mcp', 4 * MIB - 16 * 1024)).toBe(8);
  expect(most(task('c'), 'mcp', 0)).toBe(512);
});
