import { WritError } from '@writ/core';
import type { TaskSpec } from '@writ/task-store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUILD, createEvidenceBench, type EvidenceBench } from '../../testing/evidence-bench.ts';

const QUERY: TaskSpec = { input: { kind: 'argv', argv: ['true'] } };

let bench: EvidenceBench;
beforeEach(async () => {
  bench = await createEvidenceBench({ slots: 1 });
});
afterEach(() => bench.close());

const submit = (task: string, spec = QUERY): Promise<unknown> => bench.node.executor.submit(bench.foreign(task, spec));

/** What the signed result says, after a look at everything that can be verified. */
async function told(task: string): Promise<string> {
  const { outcome } = await bench.ended(task);
  const { result, sha256 } = bench.verify(task);
  expect(outcome?.result).toBe(sha256);
  expect(result.outcome).toMatchObject({ state: outcome?.state, code: outcome?.code ?? null });
  return `${result.outcome.state} ${result.outcome.code} ${result.exit?.kind} ${result.changes.kind}`;
}

describe('every ending of a task has its signed result', () => {
  it.each([
    ['success', (run) => run.exit(0), 'completed null exit no-workspace'],
    ['failure', (run) => run.exit(1), 'failed WORKER_FAILED exit no-workspace'],
    ['signal', (run) => run.end({ kind: 'signal', signal: 'SIGSEGV' }), 'failed WORKER_FAILED signal no-workspace'],
    [
      'too much output',
      (run) => run.end({ kind: 'output-limit', limitBytes: 10 }),
      'failed RESULT_TOO_LARGE output-limit no-workspace',
    ],
    ['time', (run) => run.end({ kind: 'timeout', timeoutMs: 9 }), 'failed TIMED_OUT timeout no-workspace'],
  ] as [string, (run: Awaited<ReturnType<EvidenceBench['runner']['runOf']>>) => void, string][])(
    'a %s',
    async (_, end, expected) => {
      await submit('t1');
      end(await bench.runner.runOf('t1'));
      expect(await told('t1')).toBe(expected);
    },
  );

  it('a cancel while it runs, and while it waits', async () => {
    await submit('t1');
    await submit('t2', BUILD);
    await bench.runner.runOf('t1');
    await bench.node.executor.cancel('t2', 'person');
    expect(await told('t2')).toBe('cancelled CANCELLED undefined uncollected');
    await bench.node.executor.cancel('t1', 'person');
    expect(await told('t1')).toBe('cancelled CANCELLED cancel no-workspace');
  });

  it('a withdrawal', async () => {
    await submit('t1');
    await bench.runner.runOf('t1');
    await bench.node.executor.endWhere(() => true, 'TRUST_REVOKED', 'no peer any more');
    expect(await told('t1')).toBe('failed TRUST_REVOKED cancel no-workspace');
  });

  it('a preparation that fails and a start that fails, in words that tell nothing of this machine', async () => {
    bench.runner.failPreparations(new WritError('GIT_FAILED', 'cannot be cloned from "/home/owner/secret"'));
    await submit('t1', BUILD);
    expect(await told('t1')).toBe('failed GIT_FAILED undefined uncollected');
    expect(bench.resultOf('t1').changes).toEqual({ kind: 'uncollected', step: 'start' });
    expect(bench.resultOf('t1').outcome.message).not.toContain('secret');
    bench.runner.failPreparations(undefined);
    bench.runner.failStarts(new WritError('RUNNER_UNAVAILABLE', 'no program'));
    await submit('t2');
    expect(await told('t2')).toBe('failed RUNNER_UNAVAILABLE undefined no-workspace');
  });

  it('a loss', async () => {
    await submit('t1', BUILD);
    await bench.runner.runOf('t1');
    await bench.restart();
    await bench.node.executor.recover();
    expect(await told('t1')).toBe('lost LOST undefined uncollected');
    expect(bench.resultOf('t1').changes).toEqual({ kind: 'uncollected', step: 'recovery' });
  });

  it('one of a task of this node’s own, which no writ leads to', async () => {
    await bench.node.executor.submit({ ...bench.own('t1', QUERY), agent: 'an agent with a name' });
    (await bench.runner.runOf('t1')).exit(0);
    expect(await told('t1')).toBe('completed null exit no-workspace');
    expect(bench.resultOf('t1')).toMatchObject({ chain: [], writs: [], origin: bench.node.identity.public.id });
  });
});

describe('a task without a workspace', () => {
  it('takes no git, no file and no transaction more', async () => {
    const before = bench.node.commits();
    await submit('t1');
    (await bench.runner.runOf('t1')).exit(0);
    await bench.ended('t1');
    expect(bench.node.commits() - before).toBe(2);
    await expect(bench.node.evidence.content.pathOf('0'.repeat(64))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
