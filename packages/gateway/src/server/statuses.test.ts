import { WRIT_CODES } from '@writ/core';
import { expect, it } from 'vitest';
import { HTTP_STATUS } from './statuses.ts';

it('gives every code a status of a failure', () => {
  expect(Object.keys(HTTP_STATUS).sort()).toEqual([...WRIT_CODES].sort());
  for (const status of Object.values(HTTP_STATUS)) expect(status).toBeGreaterThanOrEqual(400);
});
