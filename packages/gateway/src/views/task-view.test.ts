import type { TaskOutcome } from '@writ/delegation';
import { expect, it } from 'vitest';
import { viewOutcome } from './task-view.ts';

const failed: TaskOutcome = {
  ...{ state: 'failed', truncated: false, stdoutBytes: 0, stderrBytes: 0, endedAtMs: 1 },
  message: 'exited with status 0, but evidence cannot be collected: step `changes`',
};

it('an outcome without its evidence says where the work is, and any other keeps its words', () => {
  expect(viewOutcome({ ...failed, code: 'EVIDENCE_FAILED' }).message).toBe(
    `${failed.message}; what was collected all the same: writ task result; its clone is kept, at the node that ran it: writ workspace list`,
  );
  expect(viewOutcome({ ...failed, code: 'WORKER_FAILED' }).message).toBe(failed.message);
});
