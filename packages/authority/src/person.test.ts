import { expect, it } from 'vitest';
import { isReservedAgent, personShown } from './person.ts';

it.each(['person', 'Person', ' PERSON '])('%j is no name of an agent', (name) => {
  expect(isReservedAgent(name)).toBe(true);
});

it('a question in the name of the person says that the host token is all that it took', () => {
  expect([isReservedAgent('personal'), personShown('a-b').label]).toEqual([false, expect.stringContaining('without')]);
});
