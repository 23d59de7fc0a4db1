import type { Ending } from '@writ/task-store';
import { describe, expect, it } from 'vitest';
import { type OutcomePolicy, outcomeOf, outcomeWithoutRun, toldFailure, withEvidence } from './outcome.ts';
import type { RunReport } from './types.ts';

const POLICY: OutcomePolicy = { onOverflow: 'fail', maxOutputBytes: 1024, deadline: 'timeout' };

function report(ending: Ending, truncated = false): RunReport {
  return { ending, truncated, stdoutBytes: 7, stderrBytes: 3, startedAtMs: 10, endedAtMs: 20 };
}

const EXIT_0: Ending = { kind: 'exit', exitCode: 0 };
const EXIT_3: Ending = { kind: 'exit', exitCode: 3 };
const KILLED: Ending = { kind: 'signal', signal: 'SIGKILL' };
const TIMEOUT: Ending = { kind: 'timeout', timeoutMs: 5000 };
const CANCEL: Ending = { kind: 'cancel', cause: 'person' };
const LIMIT: Ending = { kind: 'output-limit', limitBytes: 1024 };

describe('outcomeOf', () => {
  const FULL: RunReport = { ...report(EXIT_0, true), unwritten: 'ENOSPC: no space left on device' };
  const cases: readonly [string, RunReport, Partial<OutcomePolicy>, string, string | undefined, boolean][] = [
    ['exit 0', report(EXIT_0), {}, 'completed', undefined, false],
    ['exit 3', report(EXIT_3), {}, 'failed', 'WORKER_FAILED', false],
    ['exit 3 after an overflow', report(EXIT_3, true), {}, 'failed', 'WORKER_FAILED', true],
    [
      'exit 3 after an allowed overflow',
      report(EXIT_3, true),
      { onOverflow: 'truncate' },
      'failed',
      'WORKER_FAILED',
      true,
    ],
    ['exit 0 after an overflow', report(EXIT_0, true), {}, 'failed', 'RESULT_TOO_LARGE', true],
    [
      'exit 0 after an allowed overflow',
      report(EXIT_0, true),
      { onOverflow: 'truncate' },
      'completed',
      undefined,
      true,
    ],
    ['exit 0 after the disk was full', FULL, {}, 'failed', 'INTERNAL', true],
    ['exit 0 after the disk was full, output cut', FULL, { onOverflow: 'truncate' }, 'completed', undefined, true],
    ['an output limit', report(LIMIT), {}, 'failed', 'RESULT_TOO_LARGE', true],
    ['a signal', report(KILLED), {}, 'failed', 'WORKER_FAILED', false],
    ['a signal after an overflow', report(KILLED, true), {}, 'failed', 'WORKER_FAILED', true],
    ['a timeout', report(TIMEOUT), {}, 'failed', 'TIMED_OUT', false],
    ['a timeout after an overflow', report(TIMEOUT, true), {}, 'failed', 'TIMED_OUT', true],
    ['a deadline of the lease', report(TIMEOUT), { deadline: 'lease' }, 'failed', 'LEASE_EXPIRED', false],
    ['a cancel', report(CANCEL), { cause: { kind: 'cancel', by: 'person' } }, 'cancelled', 'CANCELLED', false],
    ['a cancel at the runner', report(CANCEL), {}, 'cancelled', 'CANCELLED', false],
    [
      'exit 0 after a cancel',
      report(EXIT_0),
      { cause: { kind: 'cancel', by: 'person' } },
      'cancelled',
      'CANCELLED',
      false,
    ],
    [
      'exit 0 after the lease was revoked',
      report(EXIT_0),
      { cause: { kind: 'withdrawn', code: 'LEASE_REVOKED', message: 'its lease was revoked' } },
      'failed',
      'LEASE_REVOKED',
      false,
    ],
    [
      'trust that was revoked',
      report(CANCEL, true),
      { cause: { kind: 'withdrawn', code: 'TRUST_REVOKED', message: 'no longer a peer' } },
      'failed',
      'TRUST_REVOKED',
      true,
    ],
  ];
  it.each(cases)('%s', (_name, run, policy, state, code, truncated) => {
    const outcome = outcomeOf(run, { ...POLICY, ...policy });
    expect(outcome).toMatchObject({ state, truncated, stdoutBytes: 7, stderrBytes: 3, startedAtMs: 10, endedAtMs: 20 });
    expect(outcome.code).toBe(code);
    expect(outcome.message).toMatch(/^[a-z]/);
    if (run === FULL) expect(outcome.message).toContain('disk of this node refused a part of its output: ENOSPC');
  });

  it('reports an overflow that fails as its own ending', () => {
    expect(outcomeOf(report(EXIT_0, true), POLICY).ending).toEqual({ kind: 'output-limit', limitBytes: 1024 });
    expect(outcomeOf(report(EXIT_3, true), POLICY).ending).toEqual(EXIT_3);
  });
});

describe('outcomeWithoutRun', () => {
  it('has no ending and no start', () => {
    const outcome = outcomeWithoutRun({ kind: 'cancel', by: 'wn-`x' }, 99);
    expect(outcome).toEqual({
      state: 'cancelled',
      code: 'CANCELLED',
      message: 'cancelled by `wn-\\u{60}x`',
      truncated: false,
      stdoutBytes: 0,
      stderrBytes: 0,
      endedAtMs: 99,
    });
  });
});

describe('withEvidence', () => {
  const failure = { step: 'tree', message: 'evidence cannot be collected: step `tree`: no', hidesChanges: true };
  const endings: readonly [string, Ending, Partial<OutcomePolicy>][] = [
    ['failed', EXIT_3, {}],
    ['failed', TIMEOUT, {}],
    ['cancelled', CANCEL, {}],
    ['failed', EXIT_0, { cause: { kind: 'withdrawn', code: 'TRUST_REVOKED', message: 'no peer any more' } }],
  ];

  it('makes a failure of a success without evidence, and keeps how the process ended', () => {
    const outcome = withEvidence(outcomeOf(report(EXIT_0), POLICY), failure);
    expect(outcome).toMatchObject({ state: 'failed', code: 'EVIDENCE_FAILED', ending: EXIT_0, stdoutBytes: 7 });
    expect(outcome.message).toBe('exited with status 0, but evidence cannot be collected: step `tree`: no');
  });

  it.each(endings)('leaves %s as it is', (_, ending, more) => {
    const outcome = outcomeOf(report(ending), { ...POLICY, ...more });
    expect(withEvidence(outcome, failure)).toEqual(outcome);
  });

  it('leaves a success as it is where nothing failed', () => {
    expect(withEvidence(outcomeOf(report(EXIT_0), POLICY), undefined).state).toBe('completed');
  });
});

describe('toldFailure', () => {
  it.each([
    ['scan', '`deep/er` cannot be read: ENAMETOOLONG: /home/x/deep', ': `deep/er` cannot be read'],
    ['scan', '`a.bin` is larger than 5 bytes', ': `a.bin` is larger than 5 bytes'],
    ['add', '`a` was not taken in', ': `a` was not taken in'],
    [
      'scan',
      '`b/c` was changed in the index and kept off the disk, so that',
      ': `b/c` was changed in the index and kept off the disk',
    ],
    ['scan', 'there are files in the submodule `sub`, and', ': there are files in the submodule `sub`'],
    ['index', 'the index of the workspace is gone', ': the index of the workspace is gone'],
    ['index', 'the submodule `a` is in a conflict that', ': the submodule `a` is in a conflict'],
    ['scan', 'there are more than 9 files and folders', ': there are more than 9 files and folders'],
    ['init', '`/home/x` is no repository: git told no path', ''],
    ['base', 'fatal: /home/x: `a` cannot be read', ''],
  ])('tells of step %s with %s what is of the workspace, and nothing of the machine', (step, why, told) => {
    const known = `evidence cannot be collected: step \`${step}\``;
    expect(toldFailure(`${known}: ${why}`)).toBe(known + told);
  });
});

describe('what the agent says', () => {
  const said = (ending: RunReport['ending'], agent: Partial<NonNullable<RunReport['agent']>>, truncated = false) =>
    outcomeOf(
      {
        ...report(ending, truncated),
        agent: { verdict: 'completed', turns: 1, toolCalls: 0, refusedCalls: 0, ...agent },
      },
      { onOverflow: 'fail', maxOutputBytes: 1024, deadline: 'timeout' },
    );

  it.each([
    ['done, and its process too', EXIT_0, {}, 'completed', undefined, 'exited with status 0'],
    [
      'done, and ended by its node',
      { kind: 'dismissed' },
      {},
      'completed',
      undefined,
      'its agent was done and was ended',
    ],
    [
      'failed, although its process did not',
      EXIT_0,
      { verdict: 'failed', message: 'no model' },
      'failed',
      'WORKER_FAILED',
      'exited with status 0; the agent: no model',
    ],
    [
      'never said',
      EXIT_0,
      { verdict: 'unfinished', message: 'it never said' },
      'failed',
      'WORKER_FAILED',
      'exited with status 0; the agent: it never said',
    ],
    [
      'done, although a status tells of a signal',
      { kind: 'exit', exitCode: 137 },
      {},
      'failed',
      'WORKER_FAILED',
      'exited with status 137, which is how a shell tells of SIGKILL, as for want of memory',
    ],
    ['done, although its process failed', EXIT_3, {}, 'failed', 'WORKER_FAILED', 'exited with status 3'],
  ] as const)('%s', (_, ending, agent, state, code, message) => {
    const outcome = said(ending, agent);
    expect({ state: outcome.state, code: outcome.code, message: outcome.message }).toEqual({ state, code, message });
  });

  it('a failure of the agent outranks too much output, and both are told', () => {
    const outcome = said(EXIT_0, { verdict: 'failed', message: 'gave up' }, true);
    expect(outcome).toMatchObject({ state: 'failed', code: 'WORKER_FAILED', truncated: true });
  });
});
