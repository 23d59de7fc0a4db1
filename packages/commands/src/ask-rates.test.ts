import { createFakeClock } from '@writ/testkit/clock';
import { describe, expect, it } from 'vitest';
import { createAskRates } from './ask-rates.ts';

const who = (requestedBy: string, session: string, task?: string) => ({
  ...{ origin: 'wn-self', requestedBy, session },
  ...(task === undefined ? {} : { task }),
});

describe('how fast somebody may ask', () => {
  const createRates = () => {
    const clock = createFakeClock(0);
    const rates = createAskRates(clock);
    /** How many of so many are not refused. */
    const ask = (times: number, of: (at: number) => ReturnType<typeof who>): number =>
      Array.from({ length: times }, (_, at) => rates.refusalOf(of(at))).filter((refusal) => refusal === undefined)
        .length;
    return { clock, rates, ask };
  };

  it('is bounded for a task, a session, a peer and calls without a session, and for each apart', () => {
    const { ask, rates } = createRates();
    expect(ask(999, () => who('wn-p1', 's', 't1'))).toBe(240);
    expect(ask(999, () => who('wn-p1', 's', 't2'))).toBe(240);
    expect(ask(999, (at) => who('wn-p1', `s${at}`))).toBe(240);
    expect(ask(999, () => who('wn-p2', 's'))).toBe(240);
    expect(ask(999, () => who('self', 'a'))).toBe(240);
    expect(ask(999, (at) => who('self', `key-${at}`))).toBe(240);
    expect(rates.refusalOf(who('self', 'a'))).toMatchObject({
      ...{ code: 'LIMIT_EXCEEDED', message: expect.stringContaining('a session') },
      nextSteps: [expect.stringContaining('ask again')],
    });
  });

  it('is bounded for all sessions of a node, of which calls without one take nothing, and for all tasks of one peer', () => {
    const { ask } = createRates();
    expect(ask(3000, (at) => who('self', `s${at % 99}`))).toBe(960);
    expect(ask(3000, (at) => who('wn-p1', 's', `t${at % 99}`))).toBe(960);
    expect(ask(1, () => who('self', 'key-1'))).toBe(1);
    expect(ask(1, () => who('wn-p1', 's'))).toBe(1);
    expect(ask(1, () => who('self', 's', 't'))).toBe(1);
  });

  it('says whose bound it is, and takes nothing of one that the bound of all refuses', () => {
    const { ask, clock, rates } = createRates();
    expect(ask(960, (at) => who('self', `s${at % 60}`))).toBe(960);
    expect(ask(240, () => who('self', 'new'))).toBe(0);
    expect(rates.refusalOf(who('self', 'new'))?.message).toContain(
      '16 commands in a second that all sessions of a node',
    );
    clock.advance(60_000);
    expect(ask(241, () => who('self', 'new'))).toBe(240);
    expect(rates.refusalOf(who('self', 'new'))?.message).toContain('4 commands in a second that a session may');
  });

  it('comes back with time', () => {
    const { ask, clock } = createRates();
    expect(ask(300, () => who('self', 'a'))).toBe(240);
    clock.advance(10_000);
    expect(ask(300, () => who('self', 'a'))).toBe(40);
  });
});
