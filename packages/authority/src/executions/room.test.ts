import { sha256Hex } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGateFixture, type GateFixture, HOUR_MS, IN_A, IN_B } from '../testing/gate-fixture.ts';

let at: GateFixture;
beforeEach(async () => {
  at = await createGateFixture();
  at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: 8 * HOUR_MS, issuedBy: 'ap-1' });
});
afterEach(() => at.close());

let count = 0;
const propose = (change: Partial<Parameters<GateFixture['propose']>[0]> = {}) => {
  count += 1;
  const outcome = at.propose({ class: 'read', idempotencyKey: `k${count}`, digest: sha256Hex(`${count}`), ...change });
  return outcome.proposed ? outcome.execution.id : outcome.refusal;
};

/** Whoever it is, in a session and by a task of its own: those rights are the task's. */
const inItsOwn = (requestedBy: string, place: number) => {
  const session = `${requestedBy} ${place}`;
  const asker = { ...IN_A, session, requestedBy, task: session };
  at.liveTasks.add(session);
  at.database.withWriteTx((tx) => at.options.sessions.start(tx, { origin: IN_A.origin, id: session, agent: 'agent' }));
  return asker;
};

/** A call of this node without a session. */
const oneCall = (place: number) => {
  const id = `key-${place}`;
  at.database.withWriteTx((tx) => at.options.sessions.start(tx, { origin: IN_A.origin, id, agent: 'agent' }));
  return { ...IN_A, session: id };
};

describe('commands that have not ended', () => {
  it('are sixteen of a task, sixty-four of a session, and take nothing of another one', () => {
    at.liveTasks.add('t1');
    at.taskClosure.push('manage_services');
    const asker = { ...IN_A, task: 't1' };
    for (let at16 = 0; at16 < 16; at16 += 1) expect(propose({ asker })).toEqual(expect.any(String));
    expect(propose({ asker })).toMatchObject({
      ...{ code: 'LIMIT_EXCEEDED', message: '16 commands run or wait already, the most for a task' },
      nextSteps: [expect.stringContaining('writ execution cancel')],
    });
    const own = Array.from({ length: 48 }, () => propose());
    expect(own).toEqual(Array.from({ length: 48 }, () => expect.any(String)));
    const message = '64 commands run or wait already, the most for a session';
    expect(propose()).toMatchObject({ code: 'LIMIT_EXCEEDED', message });
    expect(propose({ asker: IN_B })).toEqual(expect.any(String));
    at.gate.executions.cancel(String(own[0]));
    expect(propose()).toEqual(expect.any(String));
  });

  it('are asked for 240 times a minute in a session, whatever becomes of them', () => {
    for (let place = 0; place < 240; place += 1) at.gate.executions.cancel(String(propose()));
    const message = '240 commands were asked for in this session within 1m, the most for one';
    expect(propose()).toMatchObject({ code: 'LIMIT_EXCEEDED', message, nextSteps: ['ask again in 1m'] });
    expect(propose({ asker: IN_B })).toEqual(expect.any(String));
    at.move(60_000);
    expect(propose()).toEqual(expect.any(String));
  });

  it('are 64 of a peer, 256 of all peers and 256 of this node, in however many sessions', () => {
    at.taskClosure.push('manage_services');
    const ask = (requestedBy: string, place: number) => propose({ asker: inItsOwn(requestedBy, place) });
    const fill = (requestedBy: string, most: number) => {
      for (let place = 0; place < most; place += 1) expect(ask(requestedBy, place)).toEqual(expect.any(String));
    };
    fill('wn-p1', 64);
    const limit = (message: string) => ({ code: 'LIMIT_EXCEEDED', message });
    expect(ask('wn-p1', 99)).toMatchObject(limit('64 commands run or wait already, the most for a peer'));
    for (const peer of ['wn-p2', 'wn-p3', 'wn-p4']) fill(peer, 64);
    expect(ask('wn-p5', 99)).toMatchObject(limit('256 commands run or wait already, the most for all peers'));
    fill('self', 256);
    expect(ask('self', 999)).toMatchObject(limit('256 commands run or wait already, the most for this node'));
    // Sessions cost nothing, so that those without one have room beside them.
    for (let place = 0; place < 64; place += 1) expect(propose({ asker: oneCall(place) })).toEqual(expect.any(String));
    expect(propose({ asker: oneCall(64) })).toMatchObject(
      limit('320 commands run or wait already, the most for this node'),
    );
  });

  it('are asked for 240 times a minute by a peer, and four times that at this node, in however many sessions', () => {
    at.taskClosure.push('manage_services');
    const ask = (requestedBy: string, place: number) => {
      const id = propose({ asker: inItsOwn(requestedBy, place) });
      if (typeof id === 'string') at.gate.executions.cancel(id);
      return id;
    };
    for (let place = 0; place < 240; place += 1) expect(ask('wn-p1', place)).toEqual(expect.any(String));
    const message = '240 commands were asked for by this peer within 1m, the most for one';
    expect(ask('wn-p1', 240)).toMatchObject({ code: 'LIMIT_EXCEEDED', message, nextSteps: ['ask again in 1m'] });
    expect(ask('wn-p2', 240)).toEqual(expect.any(String));
    for (let place = 0; place < 960; place += 1) expect(ask('self', place)).toEqual(expect.any(String));
    expect(ask('self', 960)).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining('at this node'),
    });
    for (let place = 0; place < 240; place += 1) at.gate.executions.cancel(String(propose({ asker: oneCall(place) })));
    expect(propose({ asker: oneCall(240) })).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    at.move(60_000);
    expect(ask('wn-p1', 241)).toEqual(expect.any(String));
  });

  it('are not counted from a time when the clock was ahead', () => {
    const lend = () =>
      at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: 8 * HOUR_MS, issuedBy: 'ap-1' });
    at.move(31 * 24 * HOUR_MS);
    lend();
    for (let place = 0; place < 240; place += 1) at.gate.executions.cancel(String(propose()));
    expect(propose()).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    at.move(-31 * 24 * HOUR_MS);
    at.gate.acceptClock('person');
    lend();
    expect(propose()).toEqual(expect.any(String));
  });
});
