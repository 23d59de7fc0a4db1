import { expect, it } from 'vitest';
import { fuzzTools } from '../testing/tool-fuzz.ts';

it('tools answer arguments made from their schemas with an answer or a typed error, and with nothing else', async () => {
  const { answered, refused, problems } = await fuzzTools(600, 7);
  expect(problems).toEqual([]);
  expect(answered).toBeGreaterThan(50);
  expect(refused.BAD_REQUEST).toBeGreaterThan(50);
});
