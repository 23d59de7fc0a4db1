import type { Json } from '@writ/core';
import { expect, it } from 'vitest';
import { readBasis, workspaceOf, writeBasis, writeTaskBasis } from './basis.ts';

const SUBJECT = { from: 'wn-a', origin: 'wn-a', session: 's' };
const basis = (workspace?: string) => ({
  subject: SUBJECT,
  ask: { chain: ['wn-a'], grants: [['read_repo']], ...(workspace === undefined ? {} : { workspace }) },
  writExpiresAtMs: 5,
});

it('the basis of a command is read back as it was written', () => {
  expect(readBasis(writeBasis(basis('app')))).toEqual(basis('app'));
  expect(readBasis(writeTaskBasis('app'))).toBeUndefined();
});

it('the workspace of a command stands in its basis, whether a task asked for it or not', () => {
  expect(workspaceOf(writeBasis(basis('app')))).toBe('app');
  expect(workspaceOf(writeBasis(basis()))).toBeUndefined();
  expect(workspaceOf(writeTaskBasis('app'))).toBe('app');
  expect(workspaceOf(writeTaskBasis(undefined))).toBeUndefined();
  expect(writeTaskBasis(undefined)).toEqual({});
});

it('a basis that cannot be read names no workspace, and gives no right', () => {
  const none: readonly Json[] = [
    null,
    'app',
    { ask: { workspace: 'app' } },
    { workspace: 7 },
    { workspace: 'a', b: 1 },
  ];
  for (const json of none) {
    expect([readBasis(json), workspaceOf(json)]).toEqual([undefined, undefined]);
  }
});
