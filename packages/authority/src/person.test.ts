import { expect, it } from 'vitest';
import { isReservedAgent, personAt, personShown } from './person.ts';

it.each(['person', 'Person', ' PERSON '])('%j is no name of an agent', (name) => {
  expect(isReservedAgent(name)).toBe(true);
});

it('a question in the name of the person says that the host token is all that it took', () => {
  expect([isReservedAgent('personal'), personShown('a-b').label]).toEqual([false, expect.stringContaining('without')]);
});

it('asks in a session of its own, as nobody else, and is shown with the words of this node', () => {
  expect(personAt('wn-x')).toEqual({ origin: 'wn-x', session: 'person', agent: 'person', requestedBy: 'person' });
  expect(personShown('a-b-c-d')).toEqual({
    ...{ label: 'this machine’s control socket, without the person’s key', words: 'a-b-c-d' },
  });
});
