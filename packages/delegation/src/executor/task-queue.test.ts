import { describe, expect, it } from 'vitest';
import { createTaskQueue } from './task-queue.ts';

describe('task queue', () => {
  it('starts in order within a sender, and lets the senders take turns', () => {
    const started: string[] = [];
    const queue = createTaskQueue({ slots: 1, start: (id) => started.push(id) });
    for (const id of ['a1', 'a2', 'a3', 'a4']) queue.push('a', id);
    for (const id of ['b1', 'b2']) queue.push('b', id);
    for (let i = 0; i < 6; i++) queue.release();
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4']);
  });

  it('says what stands before a newcomer', () => {
    const queue = createTaskQueue({ slots: 1, start: () => {} });
    expect(queue.before()).toBeUndefined();
    queue.push('a', 'a1');
    expect(queue.before()).toBe(0);
    queue.push('a', 'a2');
    expect(queue.before()).toBe(1);
  });

  it('takes out only what has not started', () => {
    const started: string[] = [];
    const queue = createTaskQueue({ slots: 1, start: (id) => started.push(id) });
    for (const id of ['a1', 'a2']) queue.push('a', id);
    expect(queue.remove('a', 'a1')).toBe(false);
    expect(queue.remove('a', 'a2')).toBe(true);
    expect(queue.before()).toBe(0);
    queue.release();
    expect(started).toEqual(['a1']);
  });

  it('gives a free slot to a task that never was queued, and the next one when it is over', () => {
    const started: string[] = [];
    const queue = createTaskQueue({ slots: 1, start: (id) => started.push(id) });
    expect(queue.claim()).toBe(true);
    expect(queue.claim()).toBe(false);
    expect(queue.before()).toBe(0);
    queue.push('a', 'a1');
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
    queue.push('a', 'a1');
    queue.release();
    expect(started).toEqual([]);
  });
});
