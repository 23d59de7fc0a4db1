import { expect, it } from 'vitest';
import { sessionUpdateIn } from './acp-session-update.ts';
import { createAgentLog } from './agent-log.ts';
import { readClaudeEvent } from './claude-events.ts';
import { readCodexEvent } from './codex-events.ts';
import { hasTexts, listOf } from './event-list.ts';

/** As many as a line of 1 MiB can hold; by zod itself, one error each, a list of so many took ten seconds and more. */
const MANY = 500_000;
/** CPU time that looking at one such event may take, milliseconds: some take none, and most of a second is left for a slow machine. */
const MOST_CPU_MS = 1500;

const log = () => createAgentLog({ write: async () => {}, note: async () => {}, keep: async () => {} }, (text) => text);
const claude = (event: object): unknown => readClaudeEvent(event, log());
const codex = (event: object): unknown => readCodexEvent(event, log());
const acp = (update: object): unknown => sessionUpdateIn({ update });

const message = (content: unknown): object => ({ type: 'assistant', message: { content } });
const ending = (of: object): object => ({ type: 'result', subtype: 'success', is_error: false, ...of });
const changes = (list: unknown): object => ({ type: 'item.completed', item: { type: 'file_change', changes: list } });
const call = (of: object): object => ({ sessionUpdate: 'tool_call', toolCallId: '1', ...of });

const NONE: readonly (readonly [string, (list: readonly unknown[]) => unknown])[] = [
  ['parts of a message', (list) => claude(message(list))],
  ['refusals', (list) => claude(ending({ permission_denials: list }))],
  ['errors', (list) => claude(ending({ errors: list }))],
  ['changes', (list) => codex(changes(list))],
  ['content', (list) => acp(call({ content: list }))],
  ['locations', (list) => acp(call({ locations: list }))],
  ['a plan', (list) => acp({ sessionUpdate: 'plan', entries: list })],
];

it.each(NONE)('%s that are none take no time, however many', (_name, read) => {
  for (const element of [1, {}]) {
    const list = Array(MANY).fill(element);
    const before = process.cpuUsage();
    expect(read(list) || false).toBe(false);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(MOST_CPU_MS);
  }
});

it('reads what is one, with what it does not know in it', () => {
  expect(
    claude(
      message([
        { type: 'text', text: 1 },
        { type: 'new', x: [] },
        { type: 'tool_use', name: 'a' },
      ]),
    ),
  ).toBe(true);
  expect(claude(ending({ permission_denials: [{ tool_name: 'Bash', x: 1 }], errors: ['no'] }))).toBe(true);
  expect(claude(ending({ permission_denials: {} }))).toBe(false);
  expect(codex(changes([{ path: 'a', kind: 'update', x: 1 }]))).toBe(true);
  expect(
    acp(call({ content: [{ type: 'diff', path: 'a', oldText: null, newText: '' }, { type: 'terminal' }] })),
  ).toBeDefined();
  expect(acp(call({ content: [{ type: 'diff', path: 'a', oldText: 1, newText: '' }] }))).toBeUndefined();
  expect(acp(call({ content: [{ type: 'diff', path: 'a' }] }))).toBeUndefined();
  expect(acp(call({ content: null, locations: [] }))).toBeDefined();
});

it('looks no further than to the first that is none', () => {
  let looked = 0;
  const isEven = (value: unknown): value is number => {
    looked += 1;
    return typeof value === 'number' && value % 2 === 0;
  };
  expect(listOf(isEven).safeParse([2, 4]).data).toEqual([2, 4]);
  expect(listOf(isEven).safeParse([2, 3, 4, 5]).success).toBe(false);
  expect(looked).toBe(4);
  expect(listOf(isEven).safeParse({ length: 0 }).success).toBe(false);
  expect(hasTexts(null, 'a')).toBe(false);
  expect(hasTexts(['a'], 'length')).toBe(false);
});
