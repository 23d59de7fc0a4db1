import { describe, expect, it } from 'vitest';
import { createKeptLooks, type KeptLook } from './kept-looks.ts';

const LOOK: KeptLook = { generation: 1, decided: true, classification: {} as never };
const UNDECIDED: KeptLook = { ...LOOK, decided: false };
const large = (name: string): string => name.padEnd(8);

describe('the looks that are kept', () => {
  it('lose the oldest of whoever has most, and nothing of anybody else', () => {
    const kept = createKeptLooks({ units: 20, commands: 100 });
    kept.set('mine', LOOK, 'a');
    for (let at = 0; at < 50; at += 1) kept.set(large(`peer${at}`), LOOK, 'b');
    expect(kept.get('mine')).toBeDefined();
    expect([49, 48, 47].map((at) => kept.get(large(`peer${at}`)) !== undefined)).toEqual([true, true, false]);
  });

  it('lose one of who has most commands where it is their number that is too large', () => {
    const kept = createKeptLooks({ units: 1000, commands: 10 });
    kept.set('x'.repeat(900), LOOK, 'a');
    for (let at = 0; at < 50; at += 1) kept.set(`${at}`, LOOK, 'b');
    expect(kept.get('x'.repeat(900))).toBeDefined();
    expect(kept.get('40')).toBeUndefined();
    expect(kept.get('41')).toBeDefined();
  });

  it('are no more than they may be, but for the newest, which is larger than all room', () => {
    const kept = createKeptLooks({ units: 20, commands: 2 });
    for (const command of ['a', 'b', 'c']) kept.set(command, LOOK, 'a');
    expect(['a', 'b', 'c'].map((command) => kept.get(command) !== undefined)).toEqual([false, true, true]);
    kept.set('x'.repeat(30), LOOK, 'b');
    expect(kept.get('x'.repeat(30))).toBeDefined();
    expect(['b', 'c'].map((command) => kept.get(command))).toEqual([undefined, undefined]);
  });

  it('count a command that is looked at again once', () => {
    const kept = createKeptLooks({ units: 10, commands: 100 });
    for (let at = 0; at < 9; at += 1) kept.set('xxxxx', LOOK, 'a');
    kept.set('yyyyy', LOOK, 'b');
    expect(['xxxxx', 'yyyyy'].every((command) => kept.get(command) !== undefined)).toBe(true);
  });

  it('are of each who had them: what one of two loses the other has still', () => {
    const kept = createKeptLooks({ units: 1000, commands: 5 });
    kept.set('both', LOOK, 'a');
    kept.set('both', LOOK, 'b');
    for (let at = 0; at < 50; at += 1) kept.set(`${at}`, LOOK, 'a');
    expect(kept.get('both')).toBeDefined();
  });

  it('are what somebody decided, where another one was told nothing', () => {
    const kept = createKeptLooks();
    kept.set('x', UNDECIDED, 'a');
    kept.set('x', LOOK, 'b');
    kept.set('x', UNDECIDED, 'c');
    expect(kept.get('x')).toBe(LOOK);
  });
});

describe('a look that is held', () => {
  it('stays until all who hold it are done, whatever else comes', () => {
    const kept = createKeptLooks({ units: 1000, commands: 1 });
    kept.set('held', LOOK, 'a');
    const done = [kept.hold('held'), kept.hold('held')];
    const flood = (): void => {
      for (const command of ['x', 'y', 'z']) kept.set(command, LOOK, 'a');
    };
    flood();
    expect(kept.get('held')).toBe(LOOK);
    done[0]?.();
    done[0]?.();
    expect(kept.get('held')).toBe(LOOK);
    done[1]?.();
    expect(kept.get('held')).toBeUndefined();
  });

  it('is what comes after it is held, and is not taken away by one that came to nothing', () => {
    const kept = createKeptLooks({ units: 1000, commands: 1 });
    const release = kept.hold('held');
    for (const look of [UNDECIDED, LOOK, UNDECIDED]) kept.set('held', look, 'a');
    kept.set('x', LOOK, 'a');
    expect(kept.get('held')).toBe(LOOK);
    release();
  });
});
