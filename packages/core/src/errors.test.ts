import { describe, expect, it } from 'vitest';
import { errorFromJson, errorToJson, isWritError, toWritError, WritError } from './errors.ts';

describe('WritError', () => {
  it('survives its JSON form', () => {
    const error = new WritError('LEASE_REQUIRED', 'no lease', {
      details: { peer: 'laptop' },
      nextSteps: ['writ lease grant'],
    });
    const back = errorFromJson(JSON.parse(JSON.stringify(errorToJson(error))));
    expect(errorToJson(back)).toEqual(errorToJson(error));
  });

  it('has neither facts nor steps nor a cause unless they are given', () => {
    const error = new WritError('NOT_FOUND', 'no task');
    expect(error).toMatchObject({ name: 'WritError', message: 'no task', details: {}, nextSteps: [] });
    expect('cause' in error).toBe(false);
    expect(new WritError('NOT_FOUND', 'no task', { cause: 1 }).cause).toBe(1);
  });

  it('turns a code that is unknown here into INTERNAL', () => {
    expect(errorFromJson({ code: 'FROM_THE_FUTURE' as never, message: 'm' }).code).toBe('INTERNAL');
    expect(errorFromJson(undefined)).toMatchObject({
      code: 'INTERNAL',
      message: 'unknown error',
      details: {},
      nextSteps: [],
    });
  });

  it('keeps what was thrown as the cause', () => {
    const cause = new TypeError('broken');
    expect(toWritError(cause)).toMatchObject({ code: 'INTERNAL', message: 'broken', cause });
    const own = new WritError('NOT_FOUND', 'no task');
    expect(toWritError(own)).toBe(own);
    expect(toWritError('text')).toMatchObject({ code: 'INTERNAL', message: 'text', nextSteps: [] });
  });

  it('says what helps where the system refuses', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    expect(toWritError(full)).toMatchObject({ code: 'INTERNAL', nextSteps: ['make room on the disk, then try again'] });
    expect(toWritError(Object.assign(new Error('m'), { code: 'EOTHER' })).nextSteps).toEqual([]);
  });

  it('is told apart by its code', () => {
    expect(isWritError(new WritError('NOT_FOUND', 'm'), 'NOT_FOUND')).toBe(true);
    expect(isWritError(new WritError('NOT_FOUND', 'm'), 'CONFLICT')).toBe(false);
    expect(isWritError(new WritError('NOT_FOUND', 'm'))).toBe(true);
    expect(isWritError(new Error('m'))).toBe(false);
    expect(isWritError({ code: 'NOT_FOUND' }, 'NOT_FOUND')).toBe(false);
  });
});
