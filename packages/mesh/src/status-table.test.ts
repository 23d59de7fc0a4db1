import { status } from '@grpc/grpc-js';
import { WRIT_CODES } from '@writ/core';
import { describe, expect, it } from 'vitest';
import { CODE_OF_STATUS, STATUS_OF_CODE } from './status-table.ts';

const statuses = Object.values(status).filter((value) => typeof value === 'number');

describe('status table', () => {
  it('gives every code a status other than OK, and names no other code', () => {
    expect(Object.keys(STATUS_OF_CODE).sort()).toEqual([...WRIT_CODES].sort());
    for (const entry of Object.values(STATUS_OF_CODE)) expect(entry.status).not.toBe(status.OK);
  });

  it('gives every status a code', () => {
    expect(Object.keys(CODE_OF_STATUS).map(Number).sort()).toEqual([...statuses].sort());
    for (const code of Object.values(CODE_OF_STATUS)) expect(WRIT_CODES).toContain(code);
  });

  it('takes a stream that was reset because of too many for a call to be made again', () => {
    expect(CODE_OF_STATUS[status.RESOURCE_EXHAUSTED]).toBe('RATE_LIMITED');
  });

  it('tells INTERNAL of every code that is hidden', () => {
    for (const entry of Object.values(STATUS_OF_CODE)) if (entry.hidden) expect(entry.status).toBe(status.INTERNAL);
  });
});
