import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, createSystemClock } from '@writ/core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AgentStep } from '../testing/acp-agent.ts';
import { bundle } from '../testing/bundle.ts';
import { createHarness, type Finished, type Harness } from '../testing/harness.ts';
import type { RunSpec, ToolAnswer, ToolRequest } from '../types.ts';

/** What an agent has from being told to stop until its tree is ended. */
const TIME_TO_OBEY_MS = 2_000;

let harness: Harness;
let script: string;
beforeAll(async () => {
  harness = await createHarness();
  script = await bundle(new URL('../testing/acp-agent.ts', import.meta.url), harness.folder);
});
afterAll(() => harness.close());

function specOf(steps: readonly AgentStep[], flags: readonly string[] = []): RunSpec {
  return harness.spec([], {
    runner: { name: 'fixer', kind: 'acp', argv: [process.execPath, script, ...flags] },
    input: { kind: 'prompt', prompt: JSON.stringify(steps) },
    commands: [],
  });
}

/** Runs it to its end; `decide` answers what it asks leave for. */
async function act(
  steps: readonly AgentStep[],
  flags: readonly string[] = [],
  decide?: (request: ToolRequest) => ToolAnswer,
): Promise<Finished & { readonly asked: readonly ToolRequest[] }> {
  const asked: ToolRequest[] = [];
  const texts = { stdout: '', stderr: '' };
  const run = await harness.launch(specOf(steps, flags), {
    output(stream, bytes) {
      texts[stream] += Buffer.from(bytes).toString('utf8');
    },
    ...(decide === undefined
      ? {}
      : {
          async permit(request) {
            asked.push(request);
            return decide(request);
          },
        }),
  });
  const report = await run.done;
  run.release();
  return { report, ...texts, asked };
}

const say = (text: string): AgentStep => ({
  do: 'update',
  update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
});

/** Ids and names that lie about their kinds. */
const OPTIONS = [
  { optionId: 'reject', name: 'Reject', kind: 'allow_always' },
  { optionId: 'deny', name: 'No', kind: 'allow_once' },
  { optionId: 'allow', name: 'Yes', kind: 'reject_once' },
] as const;

const ask = (title: string, options: readonly (typeof OPTIONS)[number][] = OPTIONS): AgentStep => ({
  ...{ do: 'ask', kind: 'execute', title },
  options: [...options],
});

describe('an agent that speaks the agent client protocol', () => {
  it('does what its prompt says: words, tool calls, plan and cost are told, its exit is its end', async () => {
    const { report, stdout, stderr } = await act([
      say('one '),
      say('line'),
      { do: 'update', update: { sessionUpdate: 'tool_call', toolCallId: '1', title: 'a.ts', kind: 'edit' } },
      { do: 'update', update: { sessionUpdate: 'tool_call_update', toolCallId: '1', status: 'failed' } },
      {
        do: 'update',
        update: { sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 0.5, currency: 'USD' } },
      },
      say('end'),
    ]);
    expect(report.ending).toEqual({ kind: 'exit', exitCode: 0 });
    expect(report.agent).toEqual({
      ...{ verdict: 'completed', turns: 1, toolCalls: 1, refusedCalls: 0 },
      usage: { costMicroUsd: 500_000 },
    });
    expect(stdout).toBe('one line\nend\n');
    expect(stderr).toBe('~ agent: scripted 1.0\n~ tool: edit a.ts\n~ failed: edit a.ts\n');
  });

  it.each(['refusal', 'max_tokens', 'max_turn_requests', 'cancelled'] as const)(
    'a turn that ended as %s is a failure, although the process exits with 0',
    async (reason) => {
      const { report } = await act([{ do: 'stop', reason }]);
      expect(report.ending).toEqual({ kind: 'exit', exitCode: 0 });
      expect(report.agent).toMatchObject({ verdict: 'failed', message: `it stopped: ${reason.replaceAll('_', ' ')}` });
    },
  );

  it.each<[string, unknown, object | undefined]>([
    [
      'all of them',
      { totalTokens: 118, inputTokens: 3, cachedReadTokens: 100, cachedWriteTokens: 7, outputTokens: 8 },
      { inputTokens: 110, outputTokens: 8 },
    ],
    ['only some', { inputTokens: 3, outputTokens: 8, cachedReadTokens: null }, { inputTokens: 3, outputTokens: 8 }],
    ['no figures', { inputTokens: 'many', outputTokens: 8 }, undefined],
    ['absurd ones', { inputTokens: -1, outputTokens: 1e300 }, undefined],
    ['none', null, undefined],
  ])('tokens that it tells at the end of its turn are counted: %s', async (_, usage, counted) => {
    const { report } = await act([{ do: 'stop', reason: 'end_turn', usage }]);
    expect(report.agent?.verdict).toBe('completed');
    expect(report.agent?.usage).toEqual(counted);
  });

  it('an agent that goes in the middle of its turn has failed', async () => {
    const { report } = await act([say('half'), { do: 'exit', code: 0 }]);
    expect(report.ending).toEqual({ kind: 'exit', exitCode: 0 });
    expect(report.agent?.verdict).toBe('failed');
  });

  it('an agent of another version of the protocol is refused by name', async () => {
    const { report } = await act([], ['--version', '9']);
    expect(report.agent).toMatchObject({
      ...{ verdict: 'failed', turns: 0 },
      message: 'it speaks version 9 of the agent client protocol, and not 1',
    });
  });

  it('an agent that nobody signed in says what to do', async () => {
    const { report } = await act([], ['--no-auth']);
    expect(report.agent?.message).toContain('it is not signed in: sign in with the agent’s own program');
  });

  it('lines that are none of the protocol are no end', async () => {
    const { report, stdout } = await act([
      { do: 'raw', text: 'hello\n[1]\n42\n{"jsonrpc":"2.0"}\n' },
      say('still here'),
    ]);
    expect(report.agent?.verdict).toBe('completed');
    expect(stdout).toBe('still here\n');
  });

  it('an agent that stays when it is done is sent away, and has done its work', async () => {
    const { report, stdout } = await act([say('done')], ['--stay']);
    expect(report.ending).toEqual({ kind: 'dismissed' });
    expect(report.agent?.verdict).toBe('completed');
    expect(stdout).toBe('done\n');
  }, 20_000);
});

describe('leave for a tool call', () => {
  it('a yes takes the option that allows once, whatever it is called', async () => {
    const { stdout, asked } = await act([ask('rm -rf')], [], () => ({ allowed: true }));
    expect(stdout).toBe('rm -rf: deny\n');
    expect(asked).toEqual([{ kind: 'execute', title: 'rm -rf', paths: [], input: null, changes: [] }]);
  });

  it('a no takes the option that rejects, and is counted and told', async () => {
    const { report, stdout, stderr } = await act([ask('ls')], [], () => ({ allowed: false, reason: 'not granted' }));
    expect(stdout).toBe('ls: allow\n');
    expect(report.agent?.refusedCalls).toBe(1);
    expect(stderr).toContain('~ refused: execute ls: not granted\n');
  });

  it('a yes is never one that lasts', async () => {
    const { stdout } = await act([ask('ls', [OPTIONS[0]])], [], () => ({ allowed: true }));
    expect(stdout).toBe('ls: cancelled\n');
  });

  it('a yes of a person is told with whose it is', async () => {
    const { stderr } = await act([ask('ls')], [], () => ({ allowed: true, by: 'ap-1' }));
    expect(stderr).toContain('~ allowed: execute ls: by ap-1\n');
  });

  it('is asked with the files, changes and input that the call was told with before', async () => {
    const { asked } = await act(
      [
        {
          do: 'update',
          update: {
            ...{ sessionUpdate: 'tool_call', toolCallId: 'call-mend', title: 'mend', kind: 'edit', rawInput: { n: 1 } },
            ...{ locations: [{ path: '/w/a.ts', line: 3 }, { path: '/w/b.ts' }] },
            content: [
              { type: 'diff', path: '/w/a.ts', oldText: 'one', newText: 'two' },
              { type: 'diff', path: '/w/c.ts', newText: 'new' },
              { type: 'content', content: { type: 'text', text: 'words' } },
            ],
          },
        },
        { ...{ do: 'ask', kind: 'edit', title: 'mend' }, options: [...OPTIONS] },
        { ...{ do: 'ask', kind: 'edit', title: 'other' }, options: [...OPTIONS] },
      ],
      [],
      () => ({ allowed: true }),
    );
    expect(asked).toEqual([
      {
        ...{ kind: 'edit', title: 'mend', paths: ['/w/a.ts', '/w/b.ts'], input: { n: 1 } },
        changes: [
          { path: '/w/a.ts', before: 'one', after: 'two' },
          { path: '/w/c.ts', after: 'new' },
        ],
      },
      { kind: 'edit', title: 'other', paths: [], input: null, changes: [] },
    ]);
  });

  it('is not asked with an input that was too large to be kept', async () => {
    const rawInput = { text: 'x'.repeat(20_000) };
    const update = { sessionUpdate: 'tool_call' as const, toolCallId: 'call-big', title: 'big', kind: 'edit' as const };
    const { asked } = await act(
      [
        { do: 'update', update: { ...update, rawInput } },
        { ...{ do: 'ask', kind: 'edit', title: 'big' }, options: [...OPTIONS] },
      ],
      [],
      () => ({ allowed: true }),
    );
    expect(asked).toMatchObject([{ title: 'big', input: null, untold: true }]);
  });

  it('where nobody decides, it is refused', async () => {
    const { stdout } = await act([ask('ls')]);
    expect(stdout).toBe('ls: allow\n');
  });
});

describe('an agent that asks or tells without end', () => {
  const request = (at: number): string => {
    const toolCall = { toolCallId: `c${at}`, kind: 'other', title: `call ${at}` };
    const params = { sessionId: 's', toolCall, options: OPTIONS };
    return JSON.stringify({ jsonrpc: '2.0', id: 1000 + at, method: 'session/request_permission', params });
  };

  it('is asked about no more once it is told to stop: what it has sent already is dropped', async () => {
    const text = `${Array.from({ length: 2000 }, (_, at) => request(at)).join('\n')}\n`;
    const spec = specOf([say('up'), { do: 'raw', text }, { do: 'hang', deaf: true }]);
    let asked = 0;
    const run = await harness.launch(spec, {
      output() {},
      // Nobody answers: what is open stays open until it is withdrawn.
      permit: (_, signal) =>
        new Promise((_resolve, reject) => {
          asked += 1;
          if (asked === 64) run.stop({ kind: 'cancel', cause: 'asked to' });
          signal.addEventListener('abort', () => reject(new Error('withdrawn')));
        }),
    });
    const report = await run.done;
    run.release();
    expect(report.ending).toEqual({ kind: 'cancel', cause: 'asked to' });
    expect(asked).toBe(64);
  });

  it('is ended at once where it asks on after it was told to stop, without the time that others have to obey', async () => {
    const clock = createSystemClock();
    const timers: number[] = [];
    const setTimer: Clock['setTimer'] = (ms, done) => {
      timers.push(ms);
      // The time to obey is over for nobody here: what is ended is ended for what it does.
      return clock.setTimer(ms === TIME_TO_OBEY_MS ? 600_000 : ms, done);
    };
    const own = await createHarness({ clock: { ...clock, setTimer }, graceMs: 0 });
    const retort = `${Array.from({ length: 200 }, (_, at) => request(at)).join('\n')}\n`;
    const run = await own.start(specOf([say('up'), { do: 'hang', deaf: false, retort }]));
    await run.until('up');
    run.stop({ kind: 'cancel', cause: 'asked to' });
    expect((await run.done).ending).toEqual({ kind: 'cancel', cause: 'asked to' });
    expect(timers).toContain(TIME_TO_OBEY_MS);
    run.release();
    await own.close();
  });

  it('is ended by its time limit although it reads none of its answers', async () => {
    const run = await harness.launch({ ...specOf([{ do: 'flood' }]), timeoutMs: 3_000 }, { output() {} });
    expect((await run.done).ending).toEqual({ kind: 'timeout', timeoutMs: 3_000 });
    run.release();
  });

  it('has ended when it is gone, whoever still has a question of it', async () => {
    let [asked, withdrawn] = [0, 0];
    let allAsked = (): void => {};
    const full = new Promise<void>((resolve) => {
      allAsked = resolve;
    });
    // More is written than fits on the way, so that it does not leave by itself.
    const run = await harness.launch(specOf([{ do: 'flood', times: 10_000 }]), {
      output() {},
      permit: (_, signal) =>
        new Promise((_resolve, reject) => {
          asked += 1;
          if (asked === 64) allAsked();
          signal.addEventListener('abort', () => {
            withdrawn += 1;
            reject(new Error('withdrawn'));
          });
        }),
    });
    await full;
    process.kill(run.pid, 'SIGKILL');
    const report = await run.done;
    run.release();
    expect(report.ending).toEqual({ kind: 'signal', signal: 'SIGKILL' });
    expect([asked, withdrawn]).toEqual([64, 64]);
  });

  it('is refused without a decision after many refusals', async () => {
    const steps = Array.from({ length: 203 }, (_, at) => ask(`call ${at}`));
    const { report, asked } = await act(steps, [], () => ({ allowed: false, reason: 'no' }));
    expect([asked.length, report.agent?.refusedCalls]).toEqual([200, 203]);
  });

  it('writes nothing to the log of the node with updates that are none', async () => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => {});
    try {
      const updates = [
        { sessionUpdate: 'made_up' },
        { sessionUpdate: 'agent_message_chunk' },
        { sessionUpdate: 'tool_call', toolCallId: 'x', locations: 'none' },
        { sessionUpdate: 'tool_call', toolCallId: 'x', content: [{ type: 'diff' }] },
        null,
      ].map((update) => ({ sessionId: 's', update }));
      const lines = [...updates, undefined, 7, { update: updates }].map((params) =>
        JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params }),
      );
      lines.push('{"jsonrpc":"2.0","method":"made/up"}', '{"jsonrpc":"2.0","method":"$/cancel_request","params":{}}');
      const { report, stdout } = await act([{ do: 'raw', text: `${lines.join('\n')}\n` }, say('well')]);
      expect([report.agent?.verdict, stdout]).toEqual(['completed', 'well\n']);
      expect(told.mock.calls).toEqual([]);
    } finally {
      told.mockRestore();
    }
  });
});

describe('the end of an agent from outside', () => {
  it('a cancel is told to the agent, which ends by itself', async () => {
    const run = await harness.start(specOf([say('up'), { do: 'hang', deaf: false }, say('never')]));
    await run.until('up');
    run.stop({ kind: 'cancel', cause: 'asked to' });
    const report = await run.done;
    run.release();
    expect(report.ending).toEqual({ kind: 'cancel', cause: 'asked to' });
    expect(report.agent?.message).toBe('it stopped: cancelled');
  });

  it('an agent that does not listen is ended with its tree', async () => {
    const spec = specOf([say('up'), { do: 'hang', deaf: true }]);
    const run = await harness.start(spec);
    await run.until('up');
    run.stop({ kind: 'timeout' });
    expect((await run.done).ending).toEqual({ kind: 'timeout', timeoutMs: 60_000 });
    run.release();
    expect(harness.alive(spec.nonce)).toEqual([]);
  });

  it('an agent that never says hello is ended by the time limit', async () => {
    const run = await harness.start({ ...specOf([], ['--mute']), timeoutMs: 300 });
    const report = await run.done;
    run.release();
    expect(report.ending).toEqual({ kind: 'timeout', timeoutMs: 300 });
    expect(report.agent?.verdict).toBe('failed');
  });
});

it('words on both streams at once are all kept, each once', async () => {
  const update = { sessionUpdate: 'tool_call' as const, title: 't', kind: 'edit' as const };
  const steps = Array.from({ length: 40 }, (_, at): readonly AgentStep[] => [
    { do: 'update', update: { ...update, toolCallId: `${at}` } },
    { do: 'stderr', text: `line ${at}\n` },
  ]).flat();
  const { stderr } = await act(steps);
  expect(stderr.match(/^~ tool: edit t$/gm)).toHaveLength(40);
  expect(stderr.match(/^line \d+$/gm)).toHaveLength(40);
});

it('an answer to nothing, and ids that nobody could keep, are dropped and not logged', async () => {
  const id = 'x'.repeat(1000);
  const raw = [
    { jsonrpc: '2.0', id: 'forged', result: {} },
    { jsonrpc: '2.0', id, method: 'nothing' },
  ];
  const said = vi.spyOn(console, 'error');
  const { report } = await act([{ do: 'raw', text: raw.map((one) => `${JSON.stringify(one)}\n`).join('') }, say('on')]);
  expect(report.agent?.verdict).toBe('completed');
  expect(said).not.toHaveBeenCalled();
  said.mockRestore();
});

it('what it says is in the transcript as it was streamed', async () => {
  const spec = specOf([say('kept\n')]);
  const run = await harness.start(spec);
  await run.done;
  run.release();
  const file = join(harness.folder, 'transcripts', `${spec.task}.log`);
  expect(await readFile(file, 'utf8')).toBe('~ agent: scripted 1.0\nkept\n');
});
