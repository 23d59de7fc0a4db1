import type { Execution } from '@writ/lease-store';
import { expect, it } from 'vitest';
import { viewOf } from './view.ts';

const WAITING = { id: 'ex-1', state: 'pending_approval', approval: 'ap-1', createdAtMs: 0, request: '' };
const PLACE = { node: 'beta', clockIsBackwards: false, heldUp: undefined };

function whyOf(state: 'pending_approval' | 'proposed', place: Partial<Parameters<typeof viewOf>[1]>): string {
  return viewOf({ ...WAITING, state } as unknown as Execution, { ...PLACE, ...place }, undefined).why;
}

it('says who can answer, whatever kept the command from starting without an answer', () => {
  const waits = 'waits for a person on beta since 1970-01-01T00:00:00.000Z, approval ap-1';
  expect(whyOf('pending_approval', {})).toBe(waits);
  expect(whyOf('pending_approval', { heldUp: 'no room' })).toBe(`${waits}; a start without one was put off: no room`);
});

it('says what holds up a command that may start, the clock first', () => {
  expect(whyOf('proposed', { heldUp: 'no room' })).toBe('waits, and is tried again: no room');
  expect(whyOf('proposed', { heldUp: 'no room', clockIsBackwards: true })).toContain('the clock of beta went back');
});
