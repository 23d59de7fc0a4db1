import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { untilAborted } from './abortable.ts';

it('listens to the signal until there is an outcome, and no more when that is told', async () => {
  const { signal } = new AbortController();
  const listening = (): number => getEventListeners(signal, 'abort').length;
  const answered = untilAborted(Promise.resolve('answer'), signal).then((value) => [value, listening()]);
  expect([listening(), await answered]).toEqual([1, ['answer', 0]]);
  const failed = untilAborted(Promise.reject(new Error('no')), signal).catch((error) => [String(error), listening()]);
  expect([listening(), await failed]).toEqual([1, ['Error: no', 0]]);
});

it('is the reason of the signal as soon as that is aborted, or was before', async () => {
  const controller = new AbortController();
  const never = new Promise<never>(() => undefined);
  const waiting = untilAborted(never, controller.signal);
  controller.abort(new Error('over'));
  await expect(waiting).rejects.toThrow('over');
  await expect(untilAborted(Promise.reject(new Error('late')), controller.signal)).rejects.toThrow('over');
});
