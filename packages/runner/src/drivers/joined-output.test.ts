import { describe, expect, it } from 'vitest';
import { createAgentLog } from './agent-log.ts';
import { followEvents } from './headless.ts';
import { createJoinedOutput } from './joined-output.ts';

/** An output that takes one write whenever it is let, and what it was given. */
function slowOutput() {
  const writes: (readonly [string, string])[] = [];
  const held: (() => void)[] = [];
  const take = (stream: string, text: string): Promise<void> => {
    writes.push([stream, text]);
    return new Promise((resolve) => held.push(resolve));
  };
  return {
    output: {
      write: (stream: 'stdout' | 'stderr', bytes: Buffer) => take(stream, bytes.toString('utf8')),
      note: (lines: readonly string[]) => take('node', lines.join('\n')),
      keep: (lines: Buffer) => take('kept', lines.toString('utf8')),
    },
    writes,
    async let(): Promise<void> {
      held.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
    /** Lets everything be written. */
    async letAll(): Promise<void> {
      await this.let();
      while (held.length > 0) await this.let();
    },
  };
}

const isSettled = async (promise: Promise<void>): Promise<boolean> => {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
};

describe('output that waits for a write', () => {
  it('is written together as far as it is of one kind, in its order', async () => {
    const slow = slowOutput();
    const joined = createJoinedOutput(slow.output);
    joined.words('stdout', Buffer.from('a'));
    await slow.let();
    for (const word of ['b', 'c']) joined.words('stdout', Buffer.from(word));
    for (const line of ['one', 'two']) joined.note(line);
    joined.words('stderr', Buffer.from('d'));
    joined.words('stdout', Buffer.from('e'));
    const all = joined.written();
    await slow.letAll();
    await all;
    expect(slow.writes).toEqual([
      ['stdout', 'a'],
      ['stdout', 'bc'],
      ['node', 'one\ntwo'],
      ['stderr', 'd'],
      ['stdout', 'e'],
    ]);
  });

  it('is no write of any size, and leaves room for more only when little of it waits', async () => {
    const slow = slowOutput();
    const joined = createJoinedOutput(slow.output);
    const piece = Buffer.alloc(40_000, 'x');
    for (let at = 0; at < 8; at += 1) joined.words('stdout', piece);
    const room = joined.room();
    expect(await isSettled(room)).toBe(false);
    await slow.letAll();
    await room;
    expect(slow.writes.map(([, text]) => text.length)).toEqual(Array(8).fill(40_000));
    expect(await isSettled(joined.room())).toBe(true);
  });

  it('is told by the number where it is more lines of the node than anybody would read', async () => {
    const slow = slowOutput();
    const joined = createJoinedOutput(slow.output);
    for (let at = 0; at < 1500; at += 1) joined.note(`line ${at}`);
    await slow.letAll();
    joined.note('later');
    await slow.letAll();
    const lines = slow.writes.flatMap(([, text]) => text.split('\n'));
    expect(lines.slice(998)).toEqual([
      ...['line 998', 'line 999', 'lines left out, for they came all at once: 500'],
      'later',
    ]);
    expect(slow.writes.length).toBeLessThan(5);
  });
});

it('an event of an agent that is worth ten thousand lines is a few writes', async () => {
  const slow = slowOutput();
  const conversation = followEvents({ output: slow.output, clean: (text: string) => text } as never, (_, log) => {
    for (let at = 0; at < 10_000; at += 1) log.refusal('Bash', 'the grant does not hold it');
    return true;
  });
  const taken = conversation.take('stdout', Buffer.from('{}\n'));
  await slow.letAll();
  await taken;
  expect(slow.writes.length).toBeLessThan(5);
  expect(await conversation.finish()).toMatchObject({ refusedCalls: 10_000 });
});

it('many small events of one piece are a few writes, and what they say is whole', async () => {
  const slow = slowOutput();
  const log = createAgentLog(slow.output, (text) => text);
  for (let at = 0; at < 5_000; at += 1) {
    log.say('y');
    log.endWords();
  }
  await slow.letAll();
  await log.written();
  expect(slow.writes.map(([, text]) => text).join('')).toBe('y\n'.repeat(5_000));
  expect(slow.writes.length).toBeLessThan(5);
});
