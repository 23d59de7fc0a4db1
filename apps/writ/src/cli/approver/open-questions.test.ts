import { expect, it } from 'vitest';
import { createOpenQuestions } from './open-questions.ts';

const question = (id: string, state = 'pending') => ({ id, state }) as never;

it('questions are asked about once each, in the order in which they came', async () => {
  const questions = createOpenQuestions();
  const first = questions.next();
  for (const id of ['a', 'b', 'b', 'c']) questions.saw(question(id));
  expect(await first).toEqual({ id: 'a', state: 'pending' });
  questions.show('a');
  questions.saw(question('a'));
  expect([(await questions.next())?.id, (await questions.next())?.id]).toEqual(['b', 'c']);
  const none = questions.next();
  questions.close();
  expect(await none).toBeUndefined();
});

it('one that another person answers is not asked about, is seen to end on the screen, and counts no more among those left', async () => {
  const questions = createOpenQuestions();
  for (const id of ['a', 'b', 'c']) questions.saw(question(id));
  expect(questions.saw(question('a', 'denied'))).toBeUndefined();
  expect((await questions.next())?.id).toBe('b');
  questions.show('b');
  expect([questions.hasEnded(), questions.saw(question('b', 'approved')), questions.hasEnded()]).toEqual([
    ...[false, 'ended-on-screen', true],
  ]);
  expect((await questions.next())?.id).toBe('c');
  expect(questions.hasEnded()).toBe(false);
  questions.show('c');
  questions.leave();
  expect(questions.left()).toBe(1);
  expect(questions.saw(question('c', 'expired'))).toBe('ended-left');
  expect(questions.left()).toBe(0);
});

it('after the end of a watch nothing more is asked, whatever waits', async () => {
  const questions = createOpenQuestions();
  questions.saw(question('a'));
  questions.close();
  expect(await questions.next()).toBeUndefined();
});
