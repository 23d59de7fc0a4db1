import { describe, expect, it } from 'vitest';
import { interleave } from './interleave.ts';
import type { Subject } from './subject.ts';

function recorder(name: string, log: string[], every?: number): Subject {
  return {
    name,
    does: 'writes its name down',
    ...(every === undefined ? {} : { every }),
    setup: async () => {},
    once: async () => void log.push(name),
    teardown: async () => {},
  };
}

describe('interleave', () => {
  it('runs each subject once a round and lets each one be first', async () => {
    const log: string[] = [];
    const samples = await interleave([recorder('a', log), recorder('b', log)], { rounds: 2, warmUp: 0 });
    expect(log).toEqual(['a', 'b', 'b', 'a']);
    expect([...samples].map(([name, values]) => [name, values.length])).toEqual([
      ['a', 2],
      ['b', 2],
    ]);
  });

  it('keeps no sample of the warm-up', async () => {
    const log: string[] = [];
    const samples = await interleave([recorder('a', log)], { rounds: 1, warmUp: 3 });
    expect(log).toHaveLength(4);
    expect(samples.get('a')).toHaveLength(1);
  });

  it('runs a slow subject in every n-th round only', async () => {
    const log: string[] = [];
    const samples = await interleave([recorder('slow', log, 5)], { rounds: 10, warmUp: 0 });
    expect(samples.get('slow')).toHaveLength(2);
  });

  it('stops at a subject that fails', async () => {
    const broken = { ...recorder('broken', []), once: () => Promise.reject(new Error('wrong outcome')) };
    await expect(interleave([broken], { rounds: 1, warmUp: 0 })).rejects.toThrow('wrong outcome');
  });
});
