import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runScript } from './script.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'writ-summary-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Status = 'passed' | 'failed' | 'skipped' | 'todo';
const file = (name: string, ...statuses: Status[]) => ({
  name,
  status: statuses.includes('failed') ? 'failed' : 'passed',
  message: '',
  assertionResults: statuses.map((status, at) => ({ status, fullName: `${name} ${at}` })),
});

function summary(report: unknown, environment: NodeJS.ProcessEnv = {}) {
  const path = join(folder, 'report.json');
  writeFileSync(path, JSON.stringify(report));
  return runScript('test-summary', [path], environment);
}

describe('the summary of a test run', () => {
  it('counts what the runner reports', () => {
    const run = summary({
      success: true,
      testResults: [file('a', 'passed', 'passed'), file('b', 'passed', 'skipped')],
    });
    expect(run).toMatchObject({ status: 0, lastLine: '3 passed, 0 failed, 1 skipped' });
  });

  it('fails on a failed test and names it', () => {
    const run = summary({ success: false, testResults: [file('a', 'passed', 'failed')] });
    expect(run).toMatchObject({ status: 1, lastLine: '1 passed, 1 failed, 0 skipped' });
    expect(run.output).toContain('failed: a: a 1');
  });

  it('counts a file that could not be loaded as a failure', () => {
    const broken = { ...file('broken'), status: 'failed', message: 'no such module\nat …' };
    const run = summary({ success: false, testResults: [file('a', 'passed'), broken] });
    expect(run).toMatchObject({ status: 1, lastLine: '1 passed, 1 failed, 0 skipped' });
  });

  it('counts a run that the runner calls unsuccessful as a failure although each test passed', () => {
    const run = summary({ success: false, testResults: [file('a', 'passed')] });
    expect(run).toMatchObject({ status: 1, lastLine: '1 passed, 1 failed, 0 skipped' });
  });

  it('does not take silence for success', () => {
    expect(runScript('test-summary', [join(folder, 'none.json')])).toMatchObject({
      status: 1,
      lastLine: '0 passed, 1 failed, 0 skipped',
    });
    expect(summary({ success: true, testResults: [] })).toMatchObject({ status: 1 });
  });

  it('fails on a skipped test where every test is required', () => {
    const run = summary({ success: true, testResults: [file('a', 'passed', 'todo')] }, { WRIT_TEST_REQUIRE: 'all' });
    expect(run).toMatchObject({ status: 1, lastLine: '1 passed, 0 failed, 1 skipped' });
    expect(run.output).toContain('failed: 1 skipped, which WRIT_TEST_REQUIRE=all forbids');
  });

  it('requires nothing that drives a program of somebody else', () => {
    const optional = file('an agent [skipped, not installed: npm install it]', 'skipped');
    const run = summary({ success: true, testResults: [file('a', 'passed'), optional] }, { WRIT_TEST_REQUIRE: 'all' });
    expect(run).toMatchObject({ status: 0, lastLine: '1 passed, 0 failed, 1 skipped' });
  });
});
