import { digestJson } from '@writ/core';
import { afterEach, describe, expect, it } from 'vitest';
import { createNodeSet } from '../testing/node-set.ts';
import { submitFrom } from '../testing/test-node.ts';

const nodes = createNodeSet();
afterEach(() => nodes.closeAll());

const SPEC = { input: { kind: 'argv', argv: ['true'] }, profile: 'query' } as const;

describe('a writ', () => {
  it('has authority only for the request that it was made for', async () => {
    const { alpha, beta } = await nodes.pair();
    const client = alpha.clients.client(beta.id);
    const { writs } = submitFrom(alpha, beta, { task: 'task-1', spec: SPEC });
    const others = [
      { task: 'task-2', spec: SPEC },
      { task: 'task-1', spec: { ...SPEC, profile: 'repo-dev' } },
      { task: 'task-1', spec: { ...SPEC, workspace: 'app' } },
      { task: 'task-1', spec: { ...SPEC, input: { kind: 'argv' as const, argv: ['false'] } } },
      { task: 'task-1', spec: { ...SPEC, timeoutMs: 1 } },
      { task: 'task-1', spec: { ...SPEC, ref: 'main' } },
      { task: 'task-1', spec: { ...SPEC, runner: 'shell' } },
    ];
    for (const change of others) {
      await expect(client.submit(submitFrom(alpha, beta, { ...change, writs }))).rejects.toMatchObject({
        code: 'WRIT_INVALID',
      });
    }
    expect(beta.executor.submitted).toEqual([]);
    expect(await client.submit(submitFrom(alpha, beta, { task: 'task-1', spec: SPEC, writs }))).toMatchObject({
      accepted: true,
    });
  });

  it('is refused where it is missing, garbage, issued by another node or for another', async () => {
    const { alpha, beta } = await nodes.pair();
    const gamma = await nodes.start('gamma');
    await beta.trust(gamma);
    const client = alpha.clients.client(beta.id);
    const cases = [
      [[], 'BAD_REQUEST'],
      [['garbage'], 'WRIT_INVALID'],
      [submitFrom(gamma, beta, { task: 'task-1', spec: SPEC }).writs, 'CHAIN_MISMATCH'],
      [submitFrom(alpha, gamma, { task: 'task-1', spec: SPEC }).writs, 'CHAIN_MISMATCH'],
    ] as const;
    for (const [writs, code] of cases) {
      await expect(client.submit(submitFrom(alpha, beta, { task: 'task-1', spec: SPEC, writs }))).rejects.toMatchObject(
        {
          code,
        },
      );
    }
    expect(beta.executor.submitted).toEqual([]);
    // Noted for the person of the node.
    expect(beta.questions).toEqual(
      ['WRIT_INVALID', 'CHAIN_MISMATCH', 'CHAIN_MISMATCH'].map((code) => `${alpha.id} ${code}`),
    );
  });

  it('covers the specification as the executor stores it', async () => {
    const { alpha, beta } = await nodes.pair();
    const submit = submitFrom(alpha, beta, { spec: { ...SPEC, ref: 'main', timeoutMs: 5 } });
    await alpha.clients.client(beta.id).submit(submit);
    const [received] = beta.executor.submitted;
    expect(received?.spec).toEqual(submit.spec);
    expect(received?.chain?.last.request).toBe(digestJson({ ...SPEC, ref: 'main', timeoutMs: 5 }));
  });
});

describe('a denial', () => {
  it('travels as an answer, without the trace and without telling which profiles exist', async () => {
    const { alpha, beta } = await nodes.pair();
    beta.executor.answer = () => ({
      accepted: false,
      decision: {
        effect: 'deny',
        code: 'PROFILE_UNKNOWN',
        message: 'denied',
        nextSteps: ['ask beta'],
        generation: 7,
        trace: [{ rule: 'profile', outcome: 'deny', detail: 'secret', path: 'profiles.x' }],
      },
    });
    expect(await alpha.clients.client(beta.id).submit(submitFrom(alpha, beta))).toEqual({
      accepted: false,
      decision: {
        effect: 'deny',
        code: 'PROFILE_NOT_ALLOWED',
        message: 'denied; it adds: "ask beta"',
        nextSteps: [],
        generation: 7,
      },
    });
  });

  it('is not asked by CheckPolicy any more once whoever asks has left', async () => {
    const { alpha, beta } = await nodes.pair();
    const left = new Error('left');
    const client = alpha.clients.client(beta.id);
    await expect(client.checkPolicy({ profile: 'repo-dev' }, AbortSignal.abort(left))).rejects.toBe(left);
    await expect(client.describe(AbortSignal.abort(left))).rejects.toBe(left);
    expect(beta.questions).toEqual([]);
    expect((await client.describe()).id).toBe(beta.id);
  });

  it('answers CheckPolicy through the port that counts, for the caller itself', async () => {
    const { alpha, beta } = await nodes.pair();
    const decision = await alpha.clients.client(beta.id).checkPolicy({ profile: 'Repo-Dev' });
    expect(decision).toMatchObject({ effect: 'deny', code: 'WORKSPACE_NOT_ALLOWED', requestedProfile: 'repo-dev' });
    expect(beta.questions).toEqual([
      {
        subject: { from: alpha.id, origin: alpha.id, session: '' },
        question: { chain: [alpha.id], profile: 'repo-dev' },
      },
    ]);
  });
});

describe('a fault of the node', () => {
  it('is told as such and no more', async () => {
    const { alpha, beta } = await nodes.pair();
    beta.executor.submit = async () => {
      throw new Error('SELECT secret FROM table');
    };
    const failed = alpha.clients.client(beta.id).submit(submitFrom(alpha, beta));
    await expect(failed).rejects.toMatchObject({ code: 'INTERNAL' });
    await expect(failed).rejects.not.toMatchObject({ message: expect.stringContaining('secret') });
  });
});
