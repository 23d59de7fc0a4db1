import { WRIT_CODES, WritError } from '@writ/core';
import type { TaskOutcome } from '@writ/delegation';
import { isTold } from '@writ/delegation';
import { describe, expect, it } from 'vitest';
import { eventToWire } from './convert/event.ts';
import { outcomeToWire } from './convert/outcome.ts';
import { STATUS_OF_CODE } from './status-table.ts';
import { refusalToStatus } from './wire-error.ts';

const SECRET = 'ENOSPC: no space left on device, write /home/owner/.writ/tasks, PATH=/opt/secret/bin';
const LOCAL = WRIT_CODES.filter((code) => !isTold(code));
const PLACE = { seq: 1, atMs: 1, epoch: 1 };

function outcomeWith(change: Partial<TaskOutcome>): TaskOutcome {
  const counts = { truncated: false, stdoutBytes: 0, stderrBytes: 0, endedAtMs: 1 };
  return { state: 'failed', message: SECRET, ...counts, ...change };
}

describe('a fault of this machine', () => {
  it('is every code that is hidden, and those of disks, programs and the ways to other nodes', () => {
    const more = ['GIT_FAILED', 'RUNNER_UNAVAILABLE', 'ISOLATION_UNAVAILABLE', 'EVIDENCE_FAILED', 'UNREACHABLE'];
    const hidden = WRIT_CODES.filter((code) => STATUS_OF_CODE[code].hidden);
    expect(LOCAL).toEqual(expect.arrayContaining([...hidden, ...more]));
  });

  it('is told to a peer by its code only, in an outcome, an event and an error', () => {
    for (const code of [...LOCAL, 'SOMETHING_NEW']) {
      const outcome = outcomeWith({ code });
      const sent = [
        outcomeToWire('task-1', outcome),
        eventToWire('task-1', { event: { ...PLACE, kind: 'outcome', outcome } }),
        eventToWire('task-1', { event: { ...PLACE, kind: 'state', state: 'failed', code, message: SECRET } }),
      ];
      expect(JSON.stringify(sent), code).not.toContain('/');
      expect(sent[0], code).toMatchObject({
        code,
        message: `the node stopped it with ${code}; ask a person at that node: writ task show task-1`,
      });
    }
    for (const code of LOCAL) {
      const end = refusalToStatus(new WritError(code, SECRET, { nextSteps: [SECRET] }));
      expect(end.details + String(end.metadata.get('writ-error-bin')[0]), code).not.toContain('/');
    }
  });
});

describe('what a peer did or may not do', () => {
  it('is told whole', () => {
    for (const code of ['WORKER_FAILED', 'LEASE_EXPIRED', 'TIMED_OUT', 'TRUST_REVOKED', 'COMMAND_NOT_ALLOWED']) {
      expect(outcomeToWire('task-1', outcomeWith({ code, message: 'why' })).message).toBe('why');
    }
    expect(outcomeToWire('task-1', outcomeWith({ state: 'completed', message: 'fine' })).message).toBe('fine');
  });
});
