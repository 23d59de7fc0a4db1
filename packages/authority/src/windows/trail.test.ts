import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeBasis } from '../executions/basis.ts';
import { createGateFixture, type GateFixture, HOUR_MS, IN_A, NGINX } from '../testing/gate-fixture.ts';
import type { Need } from './windows.ts';

const { origin, session, agent } = IN_A;
const basisIn = (workspace: string) =>
  writeBasis({ subject: { from: 'self', origin, session }, ask: { chain: [], workspace } });

describe('a window', () => {
  let at: GateFixture;
  beforeEach(async () => {
    at = await createGateFixture();
  });
  afterEach(() => at.close());

  const open = (change: object = {}) =>
    at.database.withWriteTx((tx) =>
      at.gate.windows.open(tx, {
        ...{ kind: 'assent', origin, session, agent, profile: 'ops', approval: 'a1' },
        ...{ expiresAtMs: tx.nowMs + HOUR_MS },
        ...change,
      }),
    );
  const trail = () => at.database.auditTail(9).filter(({ kind }) => kind === 'window');

  it('leaves in the trail who opened it for what, and who closed it', () => {
    const assent = open();
    const aimed = open({ kind: 'destructive', workspace: 'app', target: NGINX, maxUses: 2 });
    at.gate.windows.close(assent.id, 'ap-1');
    at.gate.endSession({ origin, session }, 'person', []);
    const details = {
      origin,
      session,
      agent,
      profile: 'ops',
      approval: 'a1',
      expiresAtMs: assent.expiresAtMs,
      workspace: null,
    };
    const [first, second] = [
      { ...details, kind: 'assent', target: null, maxUses: null },
      { ...details, kind: 'destructive', workspace: 'app', target: NGINX, maxUses: 2 },
    ];
    const said = trail().map(({ action, actor, subject, details: of }) => ({ action, actor, subject, of }));
    expect(said).toEqual(
      expect.arrayContaining([
        { action: 'window.opened', actor: 'node', subject: assent.id, of: first },
        { action: 'window.opened', actor: 'node', subject: aimed.id, of: second },
        { action: 'window.closed', actor: 'ap-1', subject: assent.id, of: first },
        { action: 'window.closed', actor: 'node', subject: aimed.id, of: second },
      ]),
    );
    expect(said).toHaveLength(4);
    expect(at.gate.windows.close(aimed.id, 'ap-1')).toBe(false);
    expect(trail()).toHaveLength(4);
  });

  it('that is none cannot be closed', () => {
    expect(() => at.gate.windows.close('none', 'ap-1')).toThrow(
      expect.objectContaining({ code: 'NOT_FOUND', message: 'no window `none`', nextSteps: ['writ window list'] }),
    );
  });

  it.each(['origin', 'session', 'agent', 'workspace', 'target'] as const)(
    'covers nothing whose %s is blank, equal or not',
    (part) => {
      open({ kind: 'destructive', target: NGINX, [part]: ' ' });
      open({ ...(part === 'target' ? {} : { [part]: ' ' }) });
      const need: Need = {
        ...IN_A,
        profile: 'ops',
        class: 'destructive',
        target: NGINX,
        known: true,
        digest: 'x',
        ...(part === 'workspace' ? { basis: basisIn(' ') } : { basis: {}, [part]: ' ' }),
      };
      const covers = (of: Need['class']) =>
        at.database.withReadTx((tx) => at.gate.windows.covers(tx, { ...need, class: of }, at.database.nowMs()));
      expect(covers('destructive')).toBeUndefined();
      expect(covers('read')).toBeUndefined();
      if (part !== 'target') expect(covers('config-mutation')).toBeUndefined();
    },
  );
});
