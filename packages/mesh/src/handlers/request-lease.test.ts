import type { LeaseAnswer } from '@writ/delegation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNodeSet } from '../testing/node-set.ts';
import type { TestNode } from '../testing/test-node.ts';

const nodes = createNodeSet();
let alpha: TestNode;
let beta: TestNode;
beforeAll(async () => {
  ({ alpha, beta } = await nodes.pair());
});
afterAll(() => nodes.closeAll());

const WISH = {
  ...{ key: 'k1', session: 's1', agent: 'agent-1', profile: 'repo-dev', durationMs: 3_600_000 },
  ...{ workspaces: ['app'], maxUses: 2, onlyThisSession: true, reason: 'a fix \u202e\u001b[2J' },
};

describe('RequestLease', () => {
  it('asks in the name of the connection, and tells how the question stands', async () => {
    const client = alpha.clients.client(beta.id);
    expect(await client.requestLease(WISH)).toEqual({
      ...{ asked: true, approval: 'ap-1', state: 'pending', answerByMs: 5 },
    });
    expect(beta.questions.at(-1)).toEqual({ ...WISH, from: alpha.id });
    const { workspaces: _, maxUses: __, reason: ___, ...plain } = WISH;
    for (const state of ['approved', 'denied', 'expired', 'cancelled'] as const) {
      beta.leaseAnswers.push({ asked: true, approval: 'ap-2', state, answerByMs: 7 });
      expect(await client.requestLease(plain)).toMatchObject({ asked: true, state });
    }
    expect(beta.questions.at(-1)).toEqual({ ...plain, from: alpha.id });
  });

  it('brings the refusal back, with what would help in the words of the peer', async () => {
    const decision: Extract<LeaseAnswer, { asked: false }>['decision'] = {
      effect: 'deny',
      code: 'LEASE_REQUIRED',
      message: 'this peer may not ask',
      nextSteps: ['ask the person'],
      generation: 3,
    };
    beta.leaseAnswers.push({ asked: false, decision });
    expect(await alpha.clients.client(beta.id).requestLease(WISH)).toEqual({
      asked: false,
      decision: { ...decision, message: 'this peer may not ask; it adds: "ask the person"', nextSteps: [] },
    });
  });

  it('is refused with a field that is none', async () => {
    const before = beta.questions.length;
    for (const [field, value] of Object.entries({
      ...{ key: '', session: ' ', agent: 'a b', profile: 'No Name', durationMs: -1, maxUses: -1 },
      workspaces: ['../app'],
    })) {
      const wish = { ...WISH, [field]: value };
      await expect(alpha.clients.client(beta.id).requestLease(wish), field).rejects.toMatchObject({
        code: 'BAD_REQUEST',
      });
    }
    expect(beta.questions).toHaveLength(before);
  });
});
