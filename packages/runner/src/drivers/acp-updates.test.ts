import { describe, expect, it } from 'vitest';
import { createToolCalls } from './acp-updates.ts';

const LARGE = { path: '/etc/passwd', text: 'x'.repeat(20_000) };
const read = (toolCallId: string, more: object = {}) => ({ toolCallId, kind: 'read' as const, title: 'look', ...more });

describe('a tool call that is asked about by its id', () => {
  it('is known whole as long as what was told of it is kept', () => {
    const calls = createToolCalls();
    calls.merge(read('c', { rawInput: { path: 'a.ts' }, locations: [{ path: 'a.ts' }] }));
    const request = calls.requestOf({ toolCallId: 'c' });
    expect(request).toEqual({ kind: 'read', title: 'look', paths: ['a.ts'], input: { path: 'a.ts' }, changes: [] });
    expect(calls.requestOf({ toolCallId: 'new', kind: 'read' })).not.toHaveProperty('untold');
  });

  it('is not known whole where that was too large, whatever else is told after it', () => {
    const calls = createToolCalls();
    calls.merge(read('c', { rawInput: LARGE }));
    expect(calls.requestOf({ toolCallId: 'c', kind: 'read' })).toMatchObject({ paths: [], input: null, untold: true });
    calls.merge({ toolCallId: 'c', locations: [{ path: 'a.ts' }] });
    expect(calls.requestOf({ toolCallId: 'c' })).toMatchObject({ input: null, untold: true });
    expect(calls.requestOf({ toolCallId: 'c', rawInput: {}, locations: [] })).not.toHaveProperty('untold');
  });

  it('is not known whole where it was told too long ago', () => {
    const calls = createToolCalls();
    calls.merge(read('old', { locations: [{ path: '/etc/passwd' }] }));
    for (let at = 0; at < 32; at += 1) calls.merge(read(`c${at}`));
    expect(calls.requestOf({ toolCallId: 'old' })).toMatchObject({ kind: 'read', paths: [], untold: true });
  });
});
