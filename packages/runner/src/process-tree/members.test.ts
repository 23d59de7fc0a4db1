import { describe, expect, it } from 'vitest';
import { mayHaveLeftBehind } from './left-behind.ts';
import { findMembers } from './members.ts';
import { createProcessTable, type ProcessEntry, type ProcessTable, parseStat } from './process-table.ts';
import { signalProcess } from './signal.ts';

interface Row extends ProcessEntry {
  readonly env?: readonly string[];
  readonly cwd?: string;
  readonly out?: string;
  readonly executing?: boolean;
}

const row = (pid: number, over: Partial<Row> = {}): Row => ({
  pid,
  parent: 1,
  group: pid,
  session: pid,
  startTicks: 100,
  zombie: false,
  ...over,
});

function tableOf(rows: readonly Row[], last = 0): ProcessTable {
  const find = (pid: number): Row | undefined => rows.find((each) => each.pid === pid);
  return {
    pids: () => rows.map(({ pid }) => pid),
    pidsAfter: (first) => Array.from({ length: Math.max(0, last - first) }, (_, at) => first + 1 + at),
    entry: find,
    isExecuting: (pid) => find(pid)?.executing ?? false,
    descriptors: (pid) => [find(pid)?.out ?? '/dev/null'],
    environment: (pid) => find(pid)?.env ?? [],
    cwd: (pid) => find(pid)?.cwd,
    outputs: (pid) => [find(pid)?.out ?? '/dev/null'],
    lastPid: () => last,
  };
}

const marks = { leader: { pid: 50, startTicks: 100 }, nonces: ['n1'], folder: '/w/run-1', pipes: ['/w/pipes/1/0'] };
const pids = (rows: readonly Row[]): readonly number[] => findMembers(marks, tableOf(rows)).map(({ pid }) => pid);

describe('the processes of a run', () => {
  it('are its session and group, what carries its marker, works in its folder or writes to its pipes, and all descendants', () => {
    const rows = [
      row(50),
      row(51, { session: 50 }),
      row(52, { group: 50 }),
      row(53, { env: ['A=1', 'WRIT_ATTEMPT=n1'] }),
      row(54, { cwd: '/w/run-1/work (deleted)' }),
      row(55, { parent: 56 }),
      row(56, { parent: 53 }),
      row(57, { out: '/w/pipes/1/0 (deleted)' }),
      row(58, { out: '/w/pipes/1/01 (deleted)' }),
    ];
    expect(pids(rows)).toEqual([50, 51, 52, 53, 54, 57, 56, 55]);
  });

  it('are not zombies, older processes, those of another run, or those in a folder of a similar name', () => {
    const rows = [
      row(50, { zombie: true }),
      row(60, { startTicks: 99, env: ['WRIT_ATTEMPT=n1'] }),
      row(61, { env: ['WRIT_ATTEMPT=n12', 'X=WRIT_ATTEMPT=n1'] }),
      row(62, { cwd: '/w/run-10' }),
    ];
    expect(pids(rows)).toEqual([]);
  });

  it('are not those of a stranger who was given the leader’s pid', () => {
    expect(pids([row(50, { startTicks: 900 }), row(51, { session: 50, startTicks: 901 })])).toEqual([]);
  });
});

describe('a signal', () => {
  it('is not sent to a process that was given the pid of another', () => {
    const table = createProcessTable();
    const self = table.entry(process.pid);
    expect(self?.pid).toBe(process.pid);
    expect(signalProcess({ ...row(process.pid), startTicks: 1 }, 'SIGKILL', table)).toBe('gone');
  });
});

describe('the shortcut for short runs', () => {
  it('says no only where no later process is the run’s', () => {
    const own = { env: ['WRIT_ATTEMPT=n1'] };
    expect(mayHaveLeftBehind(marks, 10, tableOf([], 50))).toBe(false);
    expect(mayHaveLeftBehind(marks, 10, tableOf([row(52, { ...own, zombie: true }), row(53)], 53))).toBe(false);
    expect(mayHaveLeftBehind(marks, 10, tableOf([row(53, own)], 53))).toBe(true);
    expect(mayHaveLeftBehind(marks, 10, tableOf([row(52, { session: 50 })], 53))).toBe(true);
    expect(mayHaveLeftBehind(marks, 10, tableOf([row(52, { executing: true })], 53))).toBe(true);
  });

  it('does not apply to long runs, many pids, a wrapped counter or an unknown one', () => {
    expect(mayHaveLeftBehind(marks, 1000, tableOf([], 50))).toBe(true);
    expect(mayHaveLeftBehind(marks, 10, tableOf([], 500))).toBe(true);
    expect(mayHaveLeftBehind(marks, 10, tableOf([], 49))).toBe(true);
    expect(mayHaveLeftBehind(marks, 10, tableOf([], 0))).toBe(true);
  });
});

describe('a line of the process table', () => {
  it('is read past a name that holds brackets and spaces', () => {
    const fields = ['S', '7', '8', '9', ...Array.from({ length: 15 }, () => '0'), '4242', '0'];
    expect(parseStat(`12 (a) R (b c) ${fields.join(' ')}`)).toEqual({
      pid: 12,
      parent: 7,
      group: 8,
      session: 9,
      startTicks: 4242,
      zombie: false,
    });
    expect(parseStat('')).toBeUndefined();
  });
});
