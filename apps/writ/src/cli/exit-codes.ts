import { DECISION_CODES, type WritCode } from '@writ/core';

/** Exit codes of `writ`; documented in docs/cli.md. */
export const EXIT = {
  ok: 0,
  taskFailed: 1,
  usage: 2,
  denied: 3,
  waiting: 4,
  timedOut: 5,
  unreachable: 6,
  evidenceInvalid: 7,
} as const;

/** What each of them means; docs/cli.md and the manual page say it. */
export const EXIT_MEANINGS: Readonly<Record<number, string>> = {
  [EXIT.ok]: 'ok',
  [EXIT.taskFailed]:
    'the task failed, or something broke; with `writ apply --check`: a merge needs a person; with `writ doctor`: something is wrong',
  [EXIT.usage]: 'the call was wrong: usage, an id or name that is not there, invalid configuration',
  [EXIT.denied]:
    'denied (asking a peer that this node does not know is, too), by policy or by a person; an answer that was not taken',
  [EXIT.waiting]: 'waits for a person',
  [EXIT.timedOut]: 'timed out',
  [EXIT.unreachable]: 'unreachable, or the node does not run, or hangs',
  [EXIT.evidenceInvalid]:
    'evidence invalid: a result, an artifact, a bundle or the audit log is not what was signed, or could not be collected',
};

const UNREACHABLE: readonly WritCode[] = ['UNREACHABLE', 'NOT_RUNNING', 'SHUTTING_DOWN'];
const DENIED: readonly WritCode[] = [
  ...DECISION_CODES,
  'NOT_APPROVER',
  'NOT_PENDING',
  'CHANGED_SINCE_APPROVAL',
  'EXPIRED',
  'CLOCK_BACKWARDS',
  'WRIT_INVALID',
  'WRIT_EXPIRED',
  'WRIT_REPLAYED',
  'TOKEN_INVALID',
  'INVITE_INVALID',
  'COMMAND_NOT_ALLOWED',
];
const EVIDENCE: readonly WritCode[] = ['EVIDENCE_INVALID', 'EVIDENCE_FAILED'];
const USAGE: readonly WritCode[] = [
  'BAD_REQUEST',
  'NOT_FOUND',
  'WRONG_REQUEST',
  'CONFLICT',
  'CONFIG_INVALID',
  'NOT_INITIALIZED',
  'ALREADY_RUNNING',
  'HOME_INSECURE',
  'PORT_IN_USE',
  'SCHEMA_TOO_NEW',
];

/** The exit code for an error or an outcome with this code. */
export function exitCodeOf(code: WritCode): number {
  if (UNREACHABLE.includes(code)) return EXIT.unreachable;
  if (code === 'TIMED_OUT') return EXIT.timedOut;
  if (EVIDENCE.includes(code)) return EXIT.evidenceInvalid;
  if (DENIED.includes(code)) return EXIT.denied;
  return USAGE.includes(code) ? EXIT.usage : EXIT.taskFailed;
}
