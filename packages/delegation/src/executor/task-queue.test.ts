import { describe, expect, it } from 'vitest';
import { createTaskQueue } from './task-queue.ts';

const A = { whose: 'a', line: '' };
const B = { whose: 'b', line: '' };

describe('task queue', () => {
  it('starts in order within a sender, and lets the senders take turns', () => {
    const started: string[] = [];
    const queue = createTaskQueue({ slots: 1, start: (id) => started.push(id) });
    for (const id of ['a1', 'a2', 'a3', 'a4']) queue.push(A, id);
    for (const id of ['b1', 'b2']) queue.push(B, id);
    for (let i = 0; i < 6; i++) queue.release();
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4']);
  });

  it('lets the lines of one share its turns, however many there are', () => {
    const started: string[] = [];
    const queue = createTaskQueue({ slots: 1, start: (id) => started.push(id) });
    const lineOfA = (line: string) => ({ whose: 'a', line });
    expect(queue.claim()).toBe(true);
    for (const id of ['a11', 'a12', 'a13']) queue.push(lineOfA('1'), id);
    for (const id of ['a21', 'a22']) queue.push(lineOfA('2'), id);
    queue.push(lineOfA('3'), 'a31');
    for (const id of ['b1', 'b2', 'b3']) queue.push(B, id);
    expect(queue.queuedOf('a')).toBe(6);
    expect(queue.remove(lineOfA('2'), 'a12')).toBe(false);
    expect(queue.remove(lineOfA('2'), 'a22')).toBe(true);
    for (let i = 0; i < 8; i++) queue.release();
    expect(started).toEqual(['a11', 'b1', 'a21', 'b2', 'a31', 'b3', 'a12', 'a13']);
    expect(queue.queuedOf('a')).toBe(0);
  });

  it('says what stands before a newcomer', () => {
    const queue = createTaskQueue({ slots: 1, start: () => {} });
    expect(queue.before(A)).toBeUndefined();
    queue.push(A, 'a1');
    expect(queue.before(A)).toBe(0);
    queue.push(A, 'a2');
    expect(queue.before(A)).toBe(1);
  });

  it.each([1, 2, 3, 4, 5])('says so of each line as it turns out (seed %i)', (seed) => {
    const started: string[] = [];
    const queue = createTaskQueue({ slots: 1, start: (id) => started.push(id) });
    queue.claim();
    // Turns that were taken before, so that the order is no longer that of coming.
    for (let i = 0; i < 40; i++) {
      queue.push({ whose: `w${(i * seed) % 4}`, line: `l${(i * i + seed) % 3}` }, `t${i}`);
      if (i % 3 === 0) queue.release();
    }
    const place = { whose: `w${seed % 5}`, line: `l${seed % 4}` };
    const before = queue.before(place);
    queue.push(place, 'newcomer');
    started.length = 0;
    while (!started.includes('newcomer')) queue.release();
    expect(started.length - 1).toBe(before);
  });

  it('takes out only what has not started', () => {
    const started: string[] = [];
    const queue = createTaskQueue({ slots: 1, start: (id) => started.push(id) });
    for (const id of ['a1', 'a2']) queue.push(A, id);
    expect(queue.remove(A, 'a1')).toBe(false);
    expect(queue.remove(A, 'a2')).toBe(true);
    expect(queue.before(A)).toBe(0);
    queue.release();
    expect(started).toEqual(['a1']);
  });

  it('gives a free slot to a task that never was queued, and the next one when it is over', () => {
    const started: string[] = [];
    const queue = createTaskQueue({ slots: 1, start: (id) => started.push(id) });
    expect(queue.claim()).toBe(true);
    expect(queue.claim()).toBe(false);
    expect(queue.before(A)).toBe(0);
    queue.push(A, 'a1');
    expect(started).toEqual([]);
    queue.release();
    expect(started).toEqual(['a1']);
    queue.release();
    queue.close();
    expect(queue.claim()).toBe(false);
  });

  it('starts nothing once it is closed', () => {
    const started: string[] = [];
    const queue = createTaskQueue({ slots: 1, start: (id) => started.push(id) });
    queue.close();
    queue.push(A, 'a1');
    queue.release();
    expect(started).toEqual([]);
  });
});
