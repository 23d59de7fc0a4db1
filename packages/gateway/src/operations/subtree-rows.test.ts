import { afterEach, beforeEach, expect, it } from 'vitest';
import { GAMMA_ID } from '../testing/fake-config.ts';
import { TASK_TOKEN } from '../testing/fake-node.ts';
import { fakeMirror, fakeTask } from '../testing/fake-records.ts';
import { type Listening, startListening } from '../testing/listening.ts';

let at: Listening;
beforeEach(async () => {
  at = await startListening();
  const { executing, asked, children } = at.node;
  executing.records.set('t-root', fakeTask('t-root'));
  for (const id of ['t-gone', 't-1', 't-2', 't-3']) children.set(id, 't-root');
  for (const [id, peer] of [
    ['t-1', 'wn-beta'],
    ['t-2', GAMMA_ID],
    ['t-3', 'wn-beta'],
  ] as const) {
    asked.records.set(id, fakeMirror(id, peer === GAMMA_ID ? { peer, peerLabel: 'gamma' } : {}));
  }
  // Of nobody that it could know of.
  asked.records.set('t-9', fakeMirror('t-9'));
  executing.records.set('t-8', fakeTask('t-8'));
});
afterEach(() => at.stop());

interface Wish {
  readonly side?: 'asked' | 'executing';
  readonly peer?: string;
  readonly before?: string;
  readonly limit?: number;
}
const list = (wish: Wish) => at.clientWith(TASK_TOKEN).call('list_tasks', wish);
const names = async (wish: Wish) => (await list(wish)).tasks.map(({ task }) => task);

it('is the task itself and what it handed on, as far as there are records', async () => {
  expect(await names({})).toEqual(['t-3', 't-2', 't-1', 't-root']);
  at.node.executing.records.delete('t-root');
  expect(await names({})).toEqual(['t-3', 't-2', 't-1']);
});

it('comes by side and by peer', async () => {
  expect(await names({ side: 'asked' })).toEqual(['t-3', 't-2', 't-1']);
  expect(await names({ side: 'executing' })).toEqual(['t-root']);
  expect(await names({ peer: 'gamma' })).toEqual(['t-2']);
  expect(await names({ peer: 'beta' })).toEqual(['t-3', 't-1', 't-root']);
  expect((await list({})).tasks.map(({ side }) => side)).toEqual([...['asked', 'asked', 'asked', 'executing']]);
});

it.each([
  [1000, ['t-3', 't-2', 't-1', 't-root']],
  [2000, ['t-root', 't-3', 't-2', 't-1']],
])(
  'goes on page by page to the end, each task once, wherever the task itself stands: %i',
  async (createdAtMs, order) => {
    at.node.executing.records.set('t-root', fakeTask('t-root', { createdAtMs }));
    for (const limit of [1, 2, 3]) {
      const seen: string[] = [];
      let before: string | undefined;
      do {
        const page = await list({ limit, ...(before === undefined ? {} : { before }) });
        seen.push(...page.tasks.map(({ task }) => task));
        before = page.next_before;
      } while (before !== undefined && seen.length < 9);
      expect(seen).toEqual(order);
    }
  },
);

it('goes on from no place that is not its own to know', async () => {
  const [foreign, unknown] = [
    await list({ before: 't-9+', side: 'asked' }),
    await list({ before: 't-7+', side: 'asked' }),
  ];
  expect([foreign, unknown]).toEqual([{ tasks: [] }, { tasks: [] }]);
});
