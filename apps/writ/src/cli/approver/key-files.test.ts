import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WritError } from '@writ/core';
import { createControlClient } from '@writ/gateway/client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FakeNode, startFakeNode } from '../testing/fake-node.ts';
import { removeUnlessEnrolled } from './key-files.ts';

let at: FakeNode;
beforeEach(async () => {
  at = await startFakeNode();
});
afterEach(() => at.stop());

const approver = { id: 'ap-1', label: 'ada', kind: 'passphrase', enrolled_at_ms: 1 };

it.each([
  ['stays where its approver is enrolled: the answer was lost', () => ({ approvers: [approver] }), true],
  ['goes where it is not', () => ({ approvers: [{ ...approver, id: 'ap-2' }] }), false],
  [
    'stays where nobody can say',
    () => {
      throw new WritError('INTERNAL', 'gone');
    },
    true,
  ],
])('a key whose enrolment failed %s', async (_, list, isKept) => {
  at.answers = { approver_list: () => ({ mode: 'passphrase', needed: true, ...list() }) };
  const path = join(at.home.dataDir, 'key.json');
  writeFileSync(path, 'sealed');
  const node = createControlClient({ socketPath: at.home.socketFile, token: 'token' });
  await removeUnlessEnrolled(node, 'ap-1', path);
  expect(existsSync(path)).toBe(isKept);
});
