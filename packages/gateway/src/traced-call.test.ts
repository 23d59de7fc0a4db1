import { type Span, type SpanOptions, WritError } from '@writ/core';
import { describe, expect, it } from 'vitest';
import { tracedStream, tracedUpstream } from './traced-call.ts';
import type { CallContext } from './types.ts';

/** Keeps what is begun and how it ends, and whether a span is the one that runs. */
function createTrace() {
  const ended: (readonly [name: string, options: SpanOptions, code: string])[] = [];
  let inside: string | undefined;
  const start = (name: string, options: SpanOptions): Span => ({
    traceparent: undefined,
    set() {},
    end: (code) => void ended.push([name, options, code]),
    run(work) {
      inside = name;
      try {
        return work();
      } finally {
        inside = undefined;
      }
    },
  });
  const trace = { tracing: { start, current: () => inside }, spanOf: (task: string) => `of ${task}` };
  return { trace, ended, inside: () => inside };
}

const host: CallContext = { caller: { kind: 'host' }, signal: new AbortController().signal };
const task = { kind: 'task', task: 't-1', session: { origin: 'wn-a', id: 's', agent: 'a' } } as const;

describe('a stream that is traced', () => {
  it('ends its span with its end, or with what fails, and is read within it', async () => {
    const { trace, ended, inside } = createTrace();
    const seen: (string | undefined)[] = [];
    const run = tracedStream(trace, 'events', async function* () {
      seen.push(inside());
      yield 1;
      seen.push(inside());
      throw new WritError('SHUTTING_DOWN', 'the node is stopping');
    });
    const read = async (): Promise<void> => {
      for await (const _ of run(host)) expect(ended).toEqual([]);
    };
    await expect(read()).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    expect(seen).toEqual(['gateway events', 'gateway events']);
    expect(ended).toEqual([['gateway events', { kind: 'server', fields: {} }, 'SHUTTING_DOWN']]);
  });

  it('ends it where its reader leaves, and gives back what it held', async () => {
    const { trace, ended } = createTrace();
    let isLeft = false;
    const run = tracedStream(trace, 'events', async function* () {
      try {
        for (;;) yield 1;
      } finally {
        isLeft = true;
      }
    });
    for await (const _ of run({ ...host, caller: task })) break;
    expect(isLeft).toBe(true);
    expect(ended).toEqual([['gateway events', { kind: 'server', fields: { caller: 't-1' }, parent: 'of t-1' }, 'OK']]);
  });

  it('says at once what is refused at once', () => {
    const { trace, ended } = createTrace();
    const run = tracedStream(trace, 'events', () => {
      throw new WritError('NOT_FOUND', 'no such task');
    });
    expect(() => run(host)).toThrow('no such task');
    expect(ended.map(([, , code]) => code)).toEqual(['NOT_FOUND']);
  });
});

it('a call of a tool of another server is a span that names both and nothing of the call', async () => {
  const { trace, ended } = createTrace();
  const about = { upstream: 'docs', tool: 'search', caller: task };
  expect(await tracedUpstream(trace, about, async () => 'found')).toBe('found');
  const fields = { upstream: 'docs', tool: 'search', caller: 't-1' };
  expect(ended).toEqual([['upstream docs', { kind: 'client', fields, parent: 'of t-1' }, 'OK']]);
  expect(await tracedUpstream(undefined, about, async () => 'untraced')).toBe('untraced');
});
