import { describe, expect, it } from 'vitest';
import { endGroup, type SignalGroup } from './end-group.ts';

const error = (code: string): Error => Object.assign(new Error(code), { code });

/** Ends a group that answers signals by `send`, on a clock that only waiting moves; with the signals and how long it took. */
async function ending(send: SignalGroup) {
  let nowMs = 0;
  const sent: (string | number)[] = [];
  const pause = async (ms: number): Promise<void> => {
    nowMs += ms;
  };
  const end = await endGroup(41, 100, { pause, nowMs: () => nowMs }, (leader, signal) => {
    sent.push(signal);
    send(leader, signal);
  });
  return { end, sent, tookMs: nowMs };
}

describe('ending a process group', () => {
  it('waits for one that obeys', async () => {
    let isTold = false;
    const { end, sent } = await ending((_, signal) => {
      if (isTold) throw error('ESRCH');
      isTold = signal === 'SIGTERM';
    });
    expect(end).toEqual({ found: 1, refused: [], held: false });
    expect(sent).toEqual(['SIGTERM', 0]);
  });

  it('kills one that does not', async () => {
    let isDead = false;
    const { end, sent, tookMs } = await ending((_, signal) => {
      if (isDead) throw error('ESRCH');
      isDead = signal === 'SIGKILL';
    });
    expect(end.refused).toEqual([]);
    expect(sent.filter((signal) => signal === 'SIGKILL')).toHaveLength(1);
    expect(tookMs).toBeLessThan(200);
  });

  it('gives one up that cannot be killed, and says that it is left', async () => {
    const { end, tookMs } = await ending(() => undefined);
    expect(end).toEqual({ found: 1, refused: [41], held: false });
    expect(tookMs).toBeGreaterThanOrEqual(10_100);
    expect(tookMs).toBeLessThan(10_200);
  });

  it('gives one up soon that may not be signalled', async () => {
    const { end, tookMs } = await ending(() => {
      throw error('EPERM');
    });
    expect(end).toEqual({ found: 1, refused: [41], held: false });
    expect(tookMs).toBeLessThan(700);
  });

  it('has nothing to do where there is none', async () => {
    const { end, sent } = await ending(() => {
      throw error('ESRCH');
    });
    expect([end.found, sent]).toEqual([0, ['SIGTERM']]);
  });
});
