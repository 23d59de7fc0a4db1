import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import { beforeEach, describe, expect, it } from 'vitest';
import type { TaskEventBody } from '../index.ts';
import { createOutputGroups, type OutputGroups } from './output-groups.ts';

let clock: FakeClock;
let written: (readonly TaskEventBody[])[];
let failing: boolean;
let errors: number;
let groups: OutputGroups;

beforeEach(() => {
  clock = createFakeClock(0);
  written = [];
  failing = false;
  errors = 0;
  groups = createOutputGroups({
    clock,
    write(bodies) {
      if (failing) throw new Error('disk full');
      written.push(bodies);
    },
    onError: () => {
      errors += 1;
    },
  });
});

const output = (offset: number, length: number, stream: 'stdout' | 'stderr' = 'stdout'): TaskEventBody => ({
  ...{ kind: 'output', stream, offset, length },
});

describe('output groups', () => {
  it('writes the first output at once and what follows within ten milliseconds together', () => {
    groups.add('stdout', 1, 0);
    expect(written).toEqual([[output(0, 1)]]);
    groups.add('stdout', 2, 1);
    groups.add('stdout', 3, 3);
    groups.add('stderr', 4, 6);
    expect(written).toHaveLength(1);
    clock.advance(10);
    expect(written[1]).toEqual([output(1, 5), output(6, 4, 'stderr')]);
    expect(clock.pendingTimers()).toBe(0);
  });

  it('closes a group at 64 KiB and lets no event cover more', () => {
    groups.add('stdout', 1, 0);
    groups.add('stdout', 150_000, 1);
    expect(written[1]).toEqual([output(1, 65_536), output(65_537, 65_536), output(131_073, 18_928)]);
  });

  it('tells about dropped bytes once a second, not for each piece', () => {
    for (let i = 0; i < 500; i++) {
      groups.add('stdout', 10, undefined);
      clock.advance(4);
    }
    const dropped = written.flat().flatMap((body) => (body.kind === 'dropped' ? [body.bytes] : []));
    expect(dropped.length).toBeLessThanOrEqual(3);
    const rest = groups.finish().flatMap((body) => (body.kind === 'dropped' ? [body.bytes] : []));
    expect([...dropped, ...rest].reduce((sum, bytes) => sum + bytes, 0)).toBe(5000);
  });

  it('keeps a group that could not be written for the next one', () => {
    failing = true;
    groups.add('stdout', 1, 0);
    expect(errors).toBe(1);
    failing = false;
    clock.advance(20);
    groups.add('stdout', 2, 1);
    expect(written).toEqual([[output(0, 3)]]);
  });

  it('hands over the rest at the end and writes nothing more', () => {
    groups.add('stdout', 1, 0);
    groups.add('stdout', 1, 1);
    groups.add('stderr', 5, undefined);
    expect(groups.finish()).toEqual([output(1, 1), { kind: 'dropped', stream: 'stderr', bytes: 5 }]);
    clock.advance(100);
    expect(written).toHaveLength(1);
  });
});
