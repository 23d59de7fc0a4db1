import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDeskFixture, type DeskFixture, IN_A, IN_B } from './testing/desk-fixture.ts';
import type { CommandCaller, Wish } from './types.ts';

const RESTART: Wish = { kind: 'command', command: { argv: ['systemctl', 'restart', 'nginx'], profile: 'ops' } };
const PLAN: Wish = {
  kind: 'plan',
  plan: { ...RESTART, title: 'x', profile: 'ops', steps: [RESTART.command], onlySteps: true, windowMs: 60_000 },
};

describe('commands that are looked at before they are asked about', () => {
  let at: DeskFixture;
  /** Looks at files that go on. */
  let going: (() => void)[];
  beforeEach(async () => {
    at = await createDeskFixture();
    going = [];
    at.held.onRead = () => new Promise((resolve) => going.push(resolve));
  });
  afterEach(() => at.close());

  const begun = (): number => at.held.reads.length;
  let keys = 0;
  const ask = (wish: Wish, signal?: AbortSignal, caller: CommandCaller = IN_A) => {
    keys += 1;
    return at.desk.ask(caller, wish, `k${keys}`, signal);
  };
  const letGo = (): void => {
    at.held.onRead = async () => undefined;
    for (const go of going.splice(0)) go();
  };
  const waiting = () => at.gate.approvals.list({ pendingOnly: true, limit: 100 });

  it.each([
    ['command', RESTART],
    ['plan', PLAN],
  ])('are not asked about where the caller has left meanwhile: a %s', async (_, wish) => {
    const gone = new AbortController();
    const asking = ask(wish, gone.signal);
    const left = expect(asking).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect.poll(begun).toBe(1);
    gone.abort();
    letGo();
    await left;
    expect(waiting()).toEqual([]);
    expect(at.gate.executions.list({ limit: 10 })).toEqual([]);
    expect(at.held.count).toBe(0);
  });

  it('are few at once, those of an agent with many sessions too, and those of callers that left are not begun', async () => {
    const callers = Array.from({ length: 100 }, () => new AbortController());
    const left = callers.map(({ signal }, place) =>
      ask(RESTART, signal, { kind: 'host', session: { id: `s${place}`, agent: 'agent' } }).catch(
        ({ code }: { code: string }) => code,
      ),
    );
    await expect.poll(begun).toBe(2);
    const other = ask(RESTART, undefined, IN_B);
    for (const caller of callers) caller.abort();
    letGo();
    expect(await Promise.all(left)).toEqual(left.map(() => 'CANCELLED'));
    expect(await other).toMatchObject({ accepted: true });
    expect(begun()).toBe(3);
    expect(waiting()).toHaveLength(1);
  });

  it('are refused where so many of one asker wait already', async () => {
    const all = Array.from({ length: 131 }, () => ask(RESTART));
    const refused = await Promise.race(all);
    expect(refused).toMatchObject({
      accepted: false,
      refusal: { code: 'LIMIT_EXCEEDED', message: expect.stringMatching(/^128 commands of `self` wait already/) },
    });
    letGo();
    expect((await Promise.all(all)).filter(({ accepted }) => accepted).length).toBeLessThan(131);
  });
});
