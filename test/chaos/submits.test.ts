import { expect, it } from 'vitest';
import { manySubmits } from './submits.ts';

/** `npm run chaos -- submits --wishes 10000` does more. */
const WISHES = 300;

it('a wish that is made one to five times, over a wire that loses and doubles, is one task that starts once', async () => {
  const figures = await manySubmits({ wishes: WISHES, seed: 2026 });
  expect(figures).toMatchObject({ tasksAtExecutor: WISHES, starts: WISHES, completed: WISHES });
  // It proves nothing where nothing was repeated.
  expect(figures.delegates).toBeGreaterThan(2 * WISHES);
  expect(figures.submits).toBeGreaterThan(1.2 * WISHES);
}, 180_000);
