import { expect, it } from 'vitest';
import { homeNamed, withHome } from './with-home.ts';

it.each([
  ['writ init', 'writ --home /h init'],
  ['then: writ up', 'then: writ --home /h up'],
  ['writ down && writ up', 'writ --home /h down && writ --home /h up'],
  ['set the clock right, or: writ lease accept-clock', 'set the clock right, or: writ --home /h lease accept-clock'],
  ['use the writ command as the user who started the node', 'use the writ command as the user who started the node'],
  ['on that machine: writ up', 'on that machine: writ up'],
  ['a person on `beta` answers: writ approval list', 'a person on `beta` answers: writ approval list'],
  ['tail -n 20 /h/writ node.log', 'tail -n 20 /h/writ node.log'],
  ['writ --home /h status', 'writ --home /h status'],
])('the step %s names the home that was given', (step, said) => {
  expect(withHome(step, '/h')).toBe(said);
  expect(withHome(step, undefined)).toBe(step);
});

it('quotes a home for the shell', () => {
  expect(withHome('writ up', '/my home')).toBe("writ --home '/my home' up");
});

it('a home is what the call names before what is somebody else’s', () => {
  expect(homeNamed(['status', '--home', '/h'])).toBe('/h');
  expect(homeNamed(['--home=/h', 'status'])).toBe('/h');
  expect(homeNamed(['delegate', '--', 'x', '--home', '/h'])).toBeUndefined();
  expect(homeNamed(['status', '--home'])).toBeUndefined();
});
