import { WRIT_CODES } from '@writ/core';
import { expect, it } from 'vitest';
import { exitCodeOf } from './exit-codes.ts';

it.each([
  ['WORKER_FAILED', 1],
  ['LEASE_REVOKED', 1],
  ['TRUST_REVOKED', 1],
  ['INTERNAL', 1],
  ['BAD_REQUEST', 2],
  ['NOT_FOUND', 2],
  ['NOT_INITIALIZED', 2],
  ['LEASE_REQUIRED', 3],
  ['PEER_UNKNOWN', 3],
  ['COMMAND_NOT_ALLOWED', 3],
  ['TIMED_OUT', 5],
  ['UNREACHABLE', 6],
  ['NOT_RUNNING', 6],
  ['EVIDENCE_INVALID', 7],
] as const)('%s exits with %d', (code, exit) => expect(exitCodeOf(code)).toBe(exit));

it('no code means success', () => {
  expect(WRIT_CODES.filter((code) => exitCodeOf(code) === 0)).toEqual([]);
});
