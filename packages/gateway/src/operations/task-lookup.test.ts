import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeNode, type FakeNode } from '../testing/fake-node.ts';
import { fakeMirror, fakeTask } from '../testing/fake-records.ts';
import type { Caller } from '../types.ts';
import { findTask } from './task-lookup.ts';

const TASK: Caller = { kind: 'task', task: 't-root', session: { origin: 'wn-beta', id: 's-9', agent: 'other' } };
const HOST: Caller = { kind: 'host' };

let node: FakeNode;
beforeEach(() => {
  node = createFakeNode();
});

/** Records of one id on both sides. */
function both(id: string, peer = 'wn-beta', sender = 'wn-beta') {
  const [asked, executing] = [fakeMirror(id, { peer }), fakeTask(id, { sender })];
  node.asked.records.set(id, asked);
  node.executing.records.set(id, executing);
  return { asked, executing };
}
const find = (id: string, caller: Caller) => findTask(node.ports, id, caller);
const NOT_THERE = { code: 'NOT_FOUND', message: 'there is no task `t-1` here' };

describe('a task token', () => {
  it.each([
    ['wn-beta', 'wn-gamma'],
    ['self', 'self'],
  ])(
    'finds its own task as the one that runs here, and what it handed on as what was asked: %s, %s',
    (peer, sender) => {
      const own = both('t-root', peer, sender);
      const child = both('t-1', peer, sender);
      expect(find('t-root', TASK)).toEqual({ executing: own.executing });
      expect(find('t-1', TASK)).toEqual({ asked: child.asked });
    },
  );

  it('finds neither where only the other side has a record under that id', () => {
    node.asked.records.set('t-root', fakeMirror('t-root'));
    node.executing.records.set('t-1', fakeTask('t-1'));
    node.asked.removedAtMs.set('t-1', 5);
    expect(() => find('t-root', TASK)).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
    expect(() => find('t-1', TASK)).toThrow(
      expect.objectContaining({
        ...NOT_THERE,
        nextSteps: ['see the tasks of this node with list_tasks or writ task list'],
      }),
    );
  });
});

describe('the host token', () => {
  it('finds both sides where this node asked itself, and never because a peer chose an id', () => {
    const own = both('t-1', 'self', 'self');
    expect(find('t-1', HOST)).toEqual(own);
    for (const [peer, sender] of [
      ['self', 'wn-beta'],
      ['wn-beta', 'self'],
      ['wn-beta', 'wn-beta'],
    ] as const) {
      const { asked } = both('t-1', peer, sender);
      expect(find('t-1', HOST)).toEqual({ asked });
    }
  });

  it('finds what only one side has', () => {
    const { asked, executing } = both('t-1', 'self', 'self');
    node.executing.records.delete('t-1');
    expect(find('t-1', HOST)).toEqual({ asked });
    node.asked.records.delete('t-1');
    node.executing.records.set('t-1', executing);
    expect(find('t-1', HOST)).toEqual({ executing });
  });

  it('is told when a task was removed, by whichever side knows', () => {
    expect(() => find('t-1', HOST)).toThrow(expect.objectContaining(NOT_THERE));
    const told = (atMs: number) => expect.objectContaining({ code: 'NOT_FOUND', details: { removedAtMs: atMs } });
    node.executing.removedAtMs.set('t-1', 7);
    expect(() => find('t-1', HOST)).toThrow(told(7));
    node.asked.removedAtMs.set('t-1', 5);
    expect(() => find('t-1', HOST)).toThrow(told(5));
  });
});
