import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHarness, type Harness } from './testing/harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
});
afterAll(() => harness.close());

describe('the five endings', () => {
  it('an exit carries its status, and the two streams stay apart', async () => {
    const { report, stdout, stderr } = await harness.run(['sh', '-c', 'echo out; echo err >&2; exit 3']);
    expect(report.ending).toEqual({ kind: 'exit', exitCode: 3 });
    expect({ stdout, stderr }).toEqual({ stdout: 'out\n', stderr: 'err\n' });
    expect(report).toMatchObject({ truncated: false, stdoutBytes: 4, stderrBytes: 4 });
    expect(report.endedAtMs).toBeGreaterThanOrEqual(report.startedAtMs);
  });

  it('a signal that the work died of is told by name', async () => {
    const { report } = await harness.run(['sh', '-c', 'kill -SEGV $$']);
    expect(report.ending).toEqual({ kind: 'signal', signal: 'SIGSEGV' });
  });

  it('a run over its time ends as a timeout, whatever it exits with', async () => {
    const { report } = await harness.run(['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 0.01; done'], {
      timeoutMs: 100,
    });
    expect(report.ending).toEqual({ kind: 'timeout', timeoutMs: 100 });
  });

  it('a cancelled run carries the cause, and a later cause changes nothing', async () => {
    const run = await harness.start(harness.spec(['sh', '-c', 'echo up; exec sleep 60']));
    await run.until('up');
    run.stop({ kind: 'cancel', cause: 'asked to' });
    run.stop({ kind: 'timeout' });
    expect((await run.done).ending).toEqual({ kind: 'cancel', cause: 'asked to' });
  });

  it('a run that ended by itself keeps its exit when it is stopped afterwards', async () => {
    const run = await harness.start(harness.spec(['true']));
    await run.done;
    run.stop({ kind: 'cancel', cause: 'late' });
    expect((await run.done).ending).toEqual({ kind: 'exit', exitCode: 0 });
  });

  it('too much output kills nothing: the run ends as it will and says truncated', async () => {
    const { report } = await harness.run(['sh', '-c', 'yes | head -c 100000; exit 4']);
    expect(report).toMatchObject({ ending: { kind: 'exit', exitCode: 4 }, truncated: true, stdoutBytes: 100_000 });
  });
});

describe('what a run sees', () => {
  it('has exactly the allowed environment', async () => {
    const env = {
      LANG: 'C.UTF-8',
      LC_TIME: 'C',
      PATH: '/usr/bin:/bin::.',
      NODE_OPTIONS: '--x',
      GIT_DIR: '/x',
      OK: '1',
    };
    const own = await createHarness({ env });
    try {
      const spec = own.spec(['env'], { env: ['OK', 'ABSENT', 'HOME'] });
      const { stdout } = await own.run(['env'], spec);
      const names = Object.fromEntries(
        stdout
          .trim()
          .split('\n')
          .map((line) => line.split('=')),
      );
      const { HOME, TMPDIR, ...rest } = names;
      expect(rest).toEqual({
        LANG: 'C.UTF-8',
        LC_TIME: 'C',
        OK: '1',
        PATH: '/usr/bin:/bin',
        WRIT_ATTEMPT: spec.nonce,
        WRIT_TASK: spec.task,
      });
      expect(HOME).toMatch(/\/workspaces\/run-[0-9a-f]{32}\/home$/);
      expect(TMPDIR).toMatch(/\/workspaces\/run-[0-9a-f]{32}\/tmp$/);
    } finally {
      await own.close();
    }
  });

  it('gets its arguments byte for byte, through no shell', async () => {
    const args = ['a\nb', '-x', '', '--', '$HOME', '`id`', '*', 'é', "'", '"'];
    const { stdout } = await harness.run(['printf', '[%s]', ...args]);
    expect(stdout).toBe(args.map((argument) => `[${argument}]`).join(''));
  });

  it('starts in an empty private folder, with standard input closed', async () => {
    const { stdout } = await harness.run([
      'sh',
      '-c',
      'ls -A; stat -c %a . ../home ../tmp; readlink /proc/self/fd/0; cat',
    ]);
    expect(stdout).toBe('700\n700\n700\n/dev/null\n');
  });

  it('can open its output streams by name', async () => {
    const { stdout, stderr } = await harness.run(['sh', '-c', 'echo out > /dev/stdout; echo err > /dev/stderr']);
    expect({ stdout, stderr }).toEqual({ stdout: 'out\n', stderr: 'err\n' });
  });

  it('inherits no descriptor of the node but its output and its lifeline', async () => {
    const { stdout } = await harness.run(['sh', '-c', 'for fd in /proc/self/fd/*; do readlink $fd; done']);
    expect(stdout.split('\n').filter((target) => target.startsWith('socket:'))).toEqual([]);
    expect(stdout.split('\n').filter((target) => target.includes('/pipes/'))).toHaveLength(3);
  });

  it('leads a session of its own', async () => {
    const { stdout } = await harness.run(['sh', '-c', 'echo $$; ps -o sid=,pgid= -p $$']);
    const [pid, ids] = stdout.trim().split('\n');
    expect(ids?.trim().split(/\s+/)).toEqual([pid, pid]);
  });
});

describe('what may not start', () => {
  it('refuses an argv that no pattern of the profile covers, and names the patterns', async () => {
    const commands = [
      ['npm', 'test'],
      ['git', 'log', '**'],
    ];
    await expect(harness.run(['npm', 'publish'], { commands })).rejects.toMatchObject({
      code: 'COMMAND_NOT_ALLOWED',
      message: 'command `npm publish` is not allowed: the profile allows `npm test`, `git log **`',
    });
    await expect(harness.run(['true'], { commands: [['true']] })).resolves.toMatchObject({
      report: { truncated: false },
    });
  });

  it('refuses to run without the isolation that is required, and says how to go on', async () => {
    const bare = await createHarness({ env: { PATH: '/nonexistent' } });
    try {
      const spec = bare.spec(['true'], { isolation: 'required' });
      await expect(bare.runner.prepare(spec, new AbortController().signal)).rejects.toMatchObject({
        code: 'ISOLATION_UNAVAILABLE',
        message: 'runner `shell` needs isolation, and this node has no sandbox: bubblewrap is not installed',
        nextSteps: [expect.stringContaining('install bubblewrap'), expect.stringContaining('isolation = "none"')],
      });
      expect(await bare.leftovers()).toEqual([]);
    } finally {
      await bare.close();
    }
  });

  it('names a program that is missing, and no path of the node', async () => {
    await expect(harness.run(['no-such-program'])).rejects.toMatchObject({
      code: 'WORKER_FAILED',
      message: 'program `no-such-program` was not found',
    });
    await expect(harness.run(['./no-such-file'])).rejects.toMatchObject({
      message: 'program `./no-such-file` was not found',
    });
    await expect(harness.run(['/etc/passwd'])).rejects.toMatchObject({
      code: 'WORKER_FAILED',
      message: expect.stringContaining('not executable'),
    });
  });

  it('calls a command runner without its program unavailable', async () => {
    const runner = { name: 'fixer', kind: 'command', argv: ['no-such-agent', '{prompt}'] } as const;
    await expect(harness.run([], { runner, input: { kind: 'prompt', prompt: 'x' } })).rejects.toMatchObject({
      code: 'RUNNER_UNAVAILABLE',
    });
  });

  it('refuses empty commands, NUL characters and arguments beyond what the system takes', async () => {
    await expect(harness.run([])).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await expect(harness.run([''])).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await expect(harness.run(['echo', 'a\0b'])).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await expect(harness.run(['echo', 'x'.repeat(200_000)])).rejects.toMatchObject({
      code: 'WORKER_FAILED',
      message: 'the arguments are too long',
    });
  });

  it('leaves no folder behind', async () => {
    await expect(harness.run(['no-such-program'])).rejects.toThrow();
    const own = await createHarness();
    await expect(own.run(['no-such-program'])).rejects.toThrow();
    await own.runner.close();
    expect(await own.leftovers()).toEqual([]);
    await own.close();
  });
});

describe('command runners', () => {
  it('put the prompt into arguments, once, and never into the program or a shell', async () => {
    const runner = { name: 'fixer', kind: 'command', argv: ['printf', '%s|', '{prompt}', 'in={workspace}'] } as const;
    const prompt = '$(id) {workspace}\n{prompt}';
    const { stdout } = await harness.run([], { runner, input: { kind: 'prompt', prompt }, commands: [] });
    expect(stdout).toMatch(/^\$\(id\) \{workspace\}\n\{prompt\}\|in=\/.*\/work\|$/);
  });
});
