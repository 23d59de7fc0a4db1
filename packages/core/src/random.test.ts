import { expect, it } from 'vitest';
import { createSystemRandom } from './random.ts';

it('the machine’s randomness has the lengths, bounds and spelling that are asked for', () => {
  const random = createSystemRandom();
  expect([0, 1, 32].map((length) => random.bytes(length).length)).toEqual([0, 1, 32]);
  expect(random.bytes(16)).not.toEqual(random.bytes(16));
  expect(random.int(1)).toBe(0);
  const [first, second] = [random.uuid(), random.uuid()];
  expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(second > first).toBe(true);
});
