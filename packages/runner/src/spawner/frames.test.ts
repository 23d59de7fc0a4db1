import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countFrame, createFrameReader, FRAME, frameHead, jsonFrame } from './frames.ts';

/** What a reader makes of `bytes` that arrive cut at `sizes`; pieces of one run's output are joined. */
function readCut(bytes: Buffer, sizes: readonly number[]): readonly string[] {
  const seen: string[] = [];
  let before = '';
  const read = createFrameReader(({ type, run, payload }) => {
    const key = `${type}:${run}:`;
    const isOutput = type === FRAME.stdout || type === FRAME.stderr;
    const text = payload.toString('latin1');
    if (isOutput && before === key) seen.push(`${seen.pop() ?? ''}${text}`);
    else seen.push(`${key}${text}`);
    before = isOutput ? key : '';
  });
  let at = 0;
  for (const size of sizes) {
    read(bytes.subarray(at, at + size));
    at += size;
  }
  if (at < bytes.length) read(bytes.subarray(at));
  return seen;
}

describe('frames', () => {
  it('are the same however the stream is cut', () => {
    const output = Buffer.from('output \0\n bytes'.repeat(20));
    const stream = Buffer.concat([
      jsonFrame(FRAME.started, 7, { pid: 1, startTicks: 2 }),
      frameHead(FRAME.stdout, 7, output.length),
      output,
      frameHead(FRAME.stderr, 7, 3),
      Buffer.from('err'),
      countFrame(FRAME.credit, 8, 99),
      jsonFrame(FRAME.ended, 7, {}),
    ]);
    const expected = readCut(stream, []);
    expect(expected).toHaveLength(5);
    expect(expected[1]).toBe(`${FRAME.stdout}:7:${output.toString('latin1')}`);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 60 }), (sizes) => {
        expect(readCut(stream, sizes)).toEqual(expected);
      }),
    );
  });

  it('of impossible length are refused', () => {
    expect(() => readCut(frameHead(FRAME.start, 1, 2 ** 31), [])).toThrow('frame of 2147483648 bytes');
  });
});
