import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../testing/bundle.ts';
import { createHarness, type Finished, type Harness } from '../testing/harness.ts';
import type { Script } from '../testing/play-lines.ts';
import type { RunSpec } from '../types.ts';
import { codexDriver } from './codex.ts';

let harness: Harness;
let player: string;
beforeAll(async () => {
  harness = await createHarness();
  player = await bundle(new URL('../testing/play-lines.ts', import.meta.url), harness.folder);
});
afterAll(() => harness.close());

function play(kind: 'codex' | 'claude', script: Script, over: Partial<RunSpec> = {}): Promise<Finished> {
  return harness.run([], {
    runner: { name: kind, kind, argv: [process.execPath, player] },
    input: { kind: 'prompt', prompt: JSON.stringify(script) },
    commands: [],
    ...over,
  });
}

const json = (...events: readonly object[]): string[] => events.map((event) => JSON.stringify(event));

const CODEX_WORK = [
  { type: 'thread.started', thread_id: 't' },
  { type: 'turn.started' },
  { type: 'item.started', item: { id: '1', type: 'command_execution', command: 'ls', status: 'in_progress' } },
  { type: 'item.completed', item: { id: '1', type: 'command_execution', command: 'ls', exit_code: 0 } },
  { type: 'item.completed', item: { id: '2', type: 'file_change', changes: [{ path: 'a.ts', kind: 'update' }] } },
  { type: 'item.completed', item: { id: '3', type: 'agent_message', text: 'done' } },
] as const;
const CODEX_DONE = { type: 'turn.completed', usage: { input_tokens: 120, cached_input_tokens: 7, output_tokens: 30 } };

describe('codex', () => {
  it('its words are the output, its tool calls and figures are counted', async () => {
    const { report, stdout, stderr } = await play('codex', { lines: json(...CODEX_WORK, CODEX_DONE), exit: 0 });
    expect(report.ending).toEqual({ kind: 'exit', exitCode: 0 });
    expect(report.agent).toEqual({
      ...{ verdict: 'completed', turns: 1, toolCalls: 2, refusedCalls: 0 },
      usage: { inputTokens: 120, outputTokens: 30 },
    });
    expect(stdout).toBe('done\n');
    expect(stderr).toContain('~ tool: run ls (status 0)\n~ tool: edit update a.ts\n');
  });

  it('a turn that failed is a failure, although the process exits with 0', async () => {
    const failed = { type: 'turn.failed', error: { message: 'no\nmodel' } };
    const { report } = await play('codex', { lines: json(...CODEX_WORK, failed), exit: 0 });
    expect(report.ending).toEqual({ kind: 'exit', exitCode: 0 });
    expect(report.agent).toMatchObject({ verdict: 'failed', message: 'no model' });
  });

  it('a turn that began behind one that was completed has to end as well', async () => {
    const again = json(CODEX_DONE, { type: 'turn.started' });
    const { report } = await play('codex', { lines: again, exit: 0 });
    expect(report.agent).toMatchObject({ verdict: 'unfinished', message: 'it never said how its work ended' });
    const ended = await play('codex', { lines: [...again, ...json(CODEX_DONE)], exit: 0 });
    expect(ended.report.agent?.verdict).toBe('completed');
  });

  it('a failure stays one, whatever is said after it', async () => {
    const failed = { type: 'turn.failed', error: { message: 'gone' } };
    const { report } = await play('codex', { lines: json(failed, CODEX_DONE), exit: 0 });
    expect(report.agent?.verdict).toBe('failed');
  });

  it('a stream that ends before the turn does is unfinished', async () => {
    const { report } = await play('codex', { lines: json(...CODEX_WORK), tail: '{"type":"turn.comp', exit: 0 });
    expect(report.agent).toMatchObject({ verdict: 'unfinished', message: 'it never said how its work ended' });
  });

  it('warnings, unknown events and a giant line are kept or told, and harm nothing', async () => {
    const many = `{"type":"turn.failed","error":{"message":"x"},"x":[${'1,'.repeat(10_000)}1]}`;
    const lines = ['warning: disk is slow', '{"type":"tomorrow"}', `"${'x'.repeat(9 * 1024 * 1024)}"`, many];
    const { report, stderr } = await play('codex', { lines: [...lines, ...json(CODEX_DONE)], exit: 0 });
    expect(report.agent?.verdict).toBe('completed');
    expect(stderr).toContain('warning: disk is slow\n{"type":"tomorrow"}\n~ an event of 9.0MiB was left out\n');
    expect(stderr).toContain('~ an event of more than 10000 values was left out\n');
  });

  it('a reconnection is no failure', async () => {
    const { report, stderr } = await play('codex', {
      lines: json({ type: 'error', message: 'Reconnecting... 1/5' }, CODEX_DONE),
      exit: 0,
    });
    expect(report.agent?.verdict).toBe('completed');
    expect(stderr).toContain('error: Reconnecting... 1/5\n');
  });

  it('its own sandbox is as wide as the grant, and none where it runs in ours', async () => {
    const argumentsFor = async (rights: readonly string[]): Promise<string> =>
      (await play('codex', { lines: [], exit: 0 }, { rights })).stderr;
    expect(await argumentsFor(['read_repo'])).toContain(
      '"--sandbox","read-only","--config","approval_policy=\\"never\\"","--config","sandbox_workspace_write.network_access=false","-"]',
    );
    expect(await argumentsFor(['edit_repo'])).toContain('"--sandbox","workspace-write"');
    expect(await argumentsFor(['edit_repo', 'use_network'])).toContain('network_access=true');
    // The program of this test is no part of a sandbox; how it would be started is said all the same.
    const { argv } = codexDriver.launch(
      { ...harness.spec([]), input: { kind: 'prompt', prompt: 'x' }, isolation: 'required' },
      '',
    );
    expect(argv.join(' ')).toContain('--sandbox danger-full-access');
  });
});

const CLAUDE_WORK = [
  { type: 'system', subtype: 'init', model: 'opus', tools: ['Read'] },
  {
    type: 'assistant',
    message: {
      content: [
        { type: 'text', text: 'reading' },
        { type: 'tool_use', name: 'Read', input: { file_path: 'a' } },
      ],
    },
  },
  { type: 'user', message: { content: [{ type: 'tool_result', content: 'x' }] } },
  { type: 'assistant', message: { content: [{ type: 'thinking', thinking: 'hm' }] } },
] as const;
const CLAUDE_DONE = {
  ...{ type: 'result', subtype: 'success', is_error: false, result: 'ok', num_turns: 2, total_cost_usd: 0.0123456 },
  usage: { input_tokens: 3, cache_creation_input_tokens: 10, cache_read_input_tokens: 100, output_tokens: 8 },
  permission_denials: [],
} as const;

describe('claude', () => {
  it('its words are the output, its tool calls, tokens and cost are counted', async () => {
    const { report, stdout, stderr } = await play('claude', { lines: json(...CLAUDE_WORK, CLAUDE_DONE), exit: 0 });
    expect(report.agent).toEqual({
      ...{ verdict: 'completed', turns: 2, toolCalls: 1, refusedCalls: 0 },
      usage: { inputTokens: 113, outputTokens: 8, costMicroUsd: 12_346 },
    });
    expect(stdout).toBe('reading\n');
    expect(stderr).toContain('~ agent: claude, model opus\n~ tool: Read {"file_path":"a"}\n');
  });

  it.each([
    [
      'an error that it calls a success',
      { subtype: 'success', is_error: true, result: 'API Error: 500' },
      'API Error: 500',
    ],
    ['a limit', { subtype: 'error_max_turns', is_error: false, result: undefined }, 'error max turns'],
    ['errors', { subtype: 'error_during_execution', is_error: true, errors: ['a', 'b'] }, 'a; b'],
  ])('%s is a failure, although the process exits with 0', async (_, over, message) => {
    const { report } = await play('claude', { lines: json({ ...CLAUDE_DONE, ...over }), exit: 0 });
    expect(report.agent).toMatchObject({ verdict: 'failed', message });
  });

  it('work that went on behind its result has to end as well; that of a helper is not its own', async () => {
    const more = { type: 'assistant', message: { content: [{ type: 'text', text: 'more' }] } };
    const own = await play('claude', { lines: json(CLAUDE_DONE, more), exit: 0 });
    expect(own.report.agent?.verdict).toBe('unfinished');
    const helper = { ...more, parent_tool_use_id: 'toolu_1' };
    expect((await play('claude', { lines: json(CLAUDE_DONE, helper), exit: 0 })).report.agent?.verdict).toBe(
      'completed',
    );
  });

  it('tells of every tool that was refused to it', async () => {
    const denied = { ...CLAUDE_DONE, permission_denials: [{ tool_name: 'Bash', tool_use_id: '1', tool_input: {} }] };
    const { report, stderr } = await play('claude', { lines: json(denied), exit: 0 });
    expect(report.agent).toMatchObject({ verdict: 'completed', refusedCalls: 1 });
    expect(stderr).toContain('~ refused: Bash: the grant does not hold it\n');
  });

  it('a success that the process denies by its status leaves both to be told', async () => {
    const { report } = await play('claude', { lines: json(CLAUDE_DONE), exit: 7 });
    expect(report.ending).toEqual({ kind: 'exit', exitCode: 7 });
    expect(report.agent?.verdict).toBe('completed');
  });

  it('is given the tools of the grant, and reads no settings of the repository', async () => {
    const rights = ['read_repo', 'edit_repo'];
    const { stderr } = await play(
      'claude',
      { lines: [], exit: 0 },
      {
        rights,
        commands: [
          ['npm', 'test', '**'],
          ['sh', '-c', '*'],
        ],
      },
    );
    expect(stderr).toContain('"--setting-sources","user","--strict-mcp-config"');
    expect(stderr).toContain('"--tools","Read,Glob,Grep,Edit,Write,NotebookEdit,Bash,BashOutput,KillShell"');
    expect(stderr).toContain('"--allowedTools","Edit(./**),Bash(npm test:*)"');
  });

  it('with a shell it may run anything, and with files of the machine read them', async () => {
    const { stderr } = await play('claude', { lines: [], exit: 0 }, { rights: ['read_files'], commands: 'allow' });
    expect(stderr).toContain('"--tools","Read,Glob,Grep,Bash,BashOutput,KillShell","--allowedTools","Read,Bash"');
  });

  it('without any right no tool is left to it', async () => {
    const { stderr } = await play('claude', { lines: [], exit: 0 }, { commands: [] });
    expect(stderr).not.toContain('--allowedTools');
    expect(stderr).toContain('"--tools",""');
  });
});

describe('what an agent writes', () => {
  it('is kept as it is where it is nested beyond all measure, and harms nothing', async () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    const tool = `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Deep","input":${deep}}]}}`;
    const { report } = await play('claude', {
      lines: [`{"type":"zzz","x":${deep}}`, tool, ...json(CLAUDE_DONE)],
      exit: 0,
    });
    expect(report.agent?.verdict).toBe('completed');
  });

  it('loses its secrets before anything of it is cut away', async () => {
    const secret = 'S3CR3T-abcdefghijklmnopqrstuvwxyz-0123456789';
    const access = { socket: '/nowhere', token: secret };
    const command = `${'y'.repeat(210)} ${secret} ${'z'.repeat(400)}`;
    const events = [
      { type: 'assistant', message: { content: [{ type: 'tool_use', name: 'Bash', input: { command } }] } },
      { ...CLAUDE_DONE, is_error: true, result: command },
    ];
    const { report, stderr } = await play('claude', { lines: json(...events), exit: 0 }, { access });
    expect(`${stderr} ${report.agent?.message}`).not.toContain('S3CR3T-');
    expect(stderr).toContain('[redacted]');
  });

  it('of figures that cannot be is not told, and the rest is', async () => {
    const absurd = { ...CLAUDE_DONE, total_cost_usd: 1e300, usage: { input_tokens: 3, output_tokens: 9e15 } };
    const { report } = await play('claude', { lines: json(absurd), exit: 0 });
    expect(report.agent).toMatchObject({ verdict: 'completed', usage: { inputTokens: 3, outputTokens: 9e15 } });
  });

  it('of blanks alone costs no time', async () => {
    const { stderr } = await play('codex', { lines: [`x${' \t'.repeat(500_000)}y`, ...json(CODEX_DONE)], exit: 0 });
    expect(stderr.length).toBeLessThan(2_000);
  }, 10_000);
});
