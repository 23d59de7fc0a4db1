import { afterEach, describe, expect, it } from 'vitest';
import { createNodeSet } from '../testing/node-set.ts';
import { submitFrom } from '../testing/test-node.ts';

const nodes = createNodeSet();
afterEach(() => nodes.closeAll());

describe('between two nodes that pinned each other', () => {
  it('describes itself to a peer', async () => {
    const { alpha, beta } = await nodes.pair();
    const description = await alpha.clients.client(beta.id).describe();
    expect(description).toMatchObject({ id: beta.id, name: 'beta', version: '0.0.0', workspaces: [] });
    expect(description.profiles).toEqual([
      { name: 'query', rank: 0, requiresLease: false, requiresApproval: false },
      { name: 'repo-dev', rank: 2, requiresLease: true, requiresApproval: false },
    ]);
    expect(description.generation).toBe(beta.engine.snapshot().generation);
  });

  it('submits with what the chain proves, watches to the outcome, reads and cancels', async () => {
    const { alpha, beta } = await nodes.pair();
    const client = alpha.clients.client(beta.id);
    const submit = submitFrom(alpha, beta);
    expect(await client.submit(submit)).toEqual({ accepted: true, state: 'queued' });
    expect(beta.executor.submitted[0]).toMatchObject({
      task: submit.task,
      idempotencyKey: submit.idempotencyKey,
      spec: submit.spec,
      subject: { from: alpha.id, origin: alpha.id, session: 'session-1' },
      agent: 'agent-1',
    });

    beta.executor.emit(submit.task, { kind: 'state', state: 'running' });
    beta.executor.emit(submit.task, { kind: 'output', stream: 'stdout', offset: 0, length: 2 }, Buffer.from('hi'));
    const seen: unknown[] = [];
    for await (const watched of client.watch(submit.task, 0, new AbortController().signal)) {
      seen.push(watched);
      if (seen.length === 2) {
        beta.executor.emit(submit.task, {
          kind: 'outcome',
          outcome: {
            state: 'failed',
            code: 'WORKER_FAILED',
            message: 'exit 0 is told from none',
            ending: { kind: 'exit', exitCode: 0 },
            truncated: true,
            stdoutBytes: 2,
            stderrBytes: 0,
            startedAtMs: 3,
            endedAtMs: 4,
          },
        });
      }
    }
    expect(seen).toEqual([
      { event: { seq: 1, atMs: 1, epoch: 1, kind: 'state', state: 'running' } },
      {
        event: { seq: 2, atMs: 1, epoch: 1, kind: 'output', stream: 'stdout', offset: 0, length: 2 },
        data: Buffer.from('hi'),
      },
      {
        event: {
          seq: 3,
          atMs: 1,
          epoch: 1,
          kind: 'outcome',
          outcome: {
            state: 'failed',
            code: 'WORKER_FAILED',
            message: 'exit 0 is told from none',
            ending: { kind: 'exit', exitCode: 0 },
            truncated: true,
            stdoutBytes: 2,
            stderrBytes: 0,
            startedAtMs: 3,
            endedAtMs: 4,
          },
        },
      },
    ]);

    beta.executor.transcript = Buffer.from('hello');
    expect(await client.readTranscript(submit.task, 1, 3)).toEqual({ data: Buffer.from('ell'), next: 4, end: false });
    expect(await client.getTask(submit.task)).toMatchObject({ id: submit.task, state: 'queued', profile: 'query' });
    expect(await client.listTasks({ limit: 10 })).toHaveLength(1);
    expect(await client.cancel(submit.task)).toMatchObject({ state: 'cancelled', code: 'CANCELLED' });
  });
});
