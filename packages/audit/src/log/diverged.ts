import { type WritError as Fault, isWritError, WritError } from '@writ/core';

/** The fault of a log that does not come from the rows beside it: nothing is written over it. */
export function diverged(message: string, dir: string, entry?: number): Fault {
  return new WritError('EVIDENCE_INVALID', `the audit log does not fit its rows: ${message}`, {
    details: { diverged: true, ...(entry === undefined ? {} : { entry }) },
    nextSteps: [
      'see what differs: writ audit verify',
      `keep ${dir} as evidence and move it away: the next start builds the log anew from the rows`,
    ],
  });
}

/** Whether an error is one of `diverged`: it does not go away by trying again. */
export function isDiverged(error: unknown): boolean {
  return isWritError(error, 'EVIDENCE_INVALID') && error.details.diverged === true;
}
