import { expect, it } from 'vitest';
import { answeredError } from './failure.ts';

const answered = (message: string) =>
  answeredError(JSON.stringify({ error: { code: 'BAD_REQUEST', message, details: {}, nextSteps: [] } }), 400);

it('says of a key that the node does not know that the node may be older', () => {
  expect(answered('unknown key `shell`')).toMatchObject({
    ...{ code: 'BAD_REQUEST', message: 'unknown key `shell`' },
    nextSteps: [expect.stringContaining('writ down && writ up')],
  });
  expect(answered('give either argv or prompt').nextSteps).toEqual([]);
  expect(answeredError('<html>', 502)).toMatchObject({ code: 'INTERNAL' });
});
