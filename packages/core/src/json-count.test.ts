import { expect, it } from 'vitest';
import { holdsMoreValues } from './json-count.ts';

/** Between which two numbers the count lies. */
function counted(json: string): number {
  let most = 0;
  while (holdsMoreValues(Buffer.from(json), most)) most += 1;
  return most;
}

it('counts values, and none of what looks like one in a string', () => {
  expect(counted('7')).toBe(1);
  expect(counted('[1,2,3]')).toBe(4);
  expect(counted('{"a":{"b":1,"c":[7]}}')).toBe(5);
  expect(counted('"[[[,,,{\\"[,\\\\"')).toBe(1);
  expect(counted('["\\\\",["\\\\\\"ü,",1]]')).toBe(5);
  expect(counted('')).toBe(1);
});

it('looks no further than to the first that is too many', () => {
  const json = Buffer.alloc(64 * 1024 * 1024, '1,');
  const startedAt = performance.now();
  const found = Array.from({ length: 1000 }, () => holdsMoreValues(json, 100));
  expect(new Set(found)).toEqual(new Set([true]));
  // All of it takes longer than that once.
  expect(performance.now() - startedAt).toBeLessThan(1000);
});
