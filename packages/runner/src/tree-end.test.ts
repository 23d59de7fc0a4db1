import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProcessTable } from './process-tree/process-table.ts';
import { createHarness, type Harness } from './testing/harness.ts';
import { processes } from './testing/processes.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness({ graceMs: 200 });
});
afterAll(() => harness.close());

/**
 * A Python process leaves its session, forks twice and ignores TERM; `escape` returns once it has. Nothing here waits for the
 * 300 s: they are how long it would live if nobody ended it.
 */
const ESCAPE = `
import os, signal, sys, time
def escape(clean):
    told, tell = os.pipe()
    if os.fork():
        os.close(tell)
        os.read(told, 1)
        os.close(told)
        return
    os.setsid()
    if os.fork(): os._exit(0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.write(tell, b'x')
    if clean:
        os.chdir('/')
        os.execve('/bin/sleep', ['sleep', '300'], {})
    os.chdir('/')
    time.sleep(300)
`;
const python = (body: string): string[] => ['python3', '-u', '-c', `${ESCAPE}\n${body}`];

describe('what a cancel ends', () => {
  it('children that left the session, forked twice and ignore TERM', async () => {
    const spec = harness.spec(
      python(`
for clean in (True, False): escape(clean)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print('up')
time.sleep(300)
`),
    );
    const run = await harness.start(spec);
    await run.until('up');
    expect(harness.alive(spec.nonce).length).toBeGreaterThanOrEqual(2);
    run.stop({ kind: 'cancel', cause: 'enough' });
    expect((await run.done).ending).toEqual({ kind: 'cancel', cause: 'enough' });
    expect(harness.alive(spec.nonce)).toEqual([]);
    expect(sleepers()).toEqual([]);
  });

  it('processes that obey TERM, stopped ones too, long before the grace is over', async () => {
    const slow = await createHarness({ graceMs: 600_000 });
    const stopped = 'sh -c "echo up; kill -STOP \\$\\$" &';
    const script = `trap "echo bye; exit 7" TERM; ${stopped} while :; do sleep 0.01; done`;
    const spec = slow.spec(['sh', '-c', script]);
    const run = await slow.start(spec);
    await run.until('up');
    run.stop({ kind: 'cancel', cause: 'x' });
    expect((await run.done).stdoutBytes).toBe('up\nbye\n'.length);
    expect(slow.alive(spec.nonce)).toEqual([]);
    await slow.close();
  });
});

describe('what a normal exit ends', () => {
  it('a child that keeps the output open does not hold the run up', async () => {
    const spec = harness.spec(['sh', '-c', 'sleep 300 & echo done; exit 5']);
    const run = await harness.start(spec);
    expect((await run.done).ending).toEqual({ kind: 'exit', exitCode: 5 });
    expect(harness.alive(spec.nonce)).toEqual([]);
  });

  it('escaped children are ended too', async () => {
    const spec = harness.spec(python("escape(False)\nescape(True)\nprint('left')"));
    const run = await harness.start(spec);
    expect((await run.done).ending).toEqual({ kind: 'exit', exitCode: 0 });
    expect(harness.alive(spec.nonce)).toEqual([]);
    expect(sleepers()).toEqual([]);
  });

  it('a storm of children', async () => {
    const spec = harness.spec([
      'sh',
      '-c',
      'for i in $(seq 60); do (setsid sh -c "trap : TERM; while :; do sleep 0.1; done" &); done',
    ]);
    const run = await harness.start(spec);
    expect((await run.done).ending).toEqual({ kind: 'exit', exitCode: 0 });
    expect(harness.alive(spec.nonce)).toEqual([]);
  });

  it('processes of other runs are left alone', async () => {
    const other = await harness.start(harness.spec(['sh', '-c', 'echo up; exec sleep 300']));
    await other.until('up');
    await harness.run(['sh', '-c', 'sleep 300 & exit 0']);
    expect(process.kill(other.pid, 0)).toBe(true);
    other.stop({ kind: 'cancel', cause: 'x' });
    await other.done;
  });
});

describe('strays of an earlier node', () => {
  it('are found by their marker and ended, others are not', async () => {
    const [dead, living] = [harness.spec([]).nonce, harness.spec([]).nonce];
    const marked = stray(dead);
    const unmarked = stray(living);
    await Promise.all([marked, unmarked].map((child) => once(child.stdout ?? child, 'data')));
    const ended = once(marked, 'exit');
    expect(await harness.runner.endStray([dead])).toBe(1);
    await ended;
    expect(unmarked.exitCode).toBeNull();
    expect(await harness.runner.endStray([dead])).toBe(0);
    expect(await harness.runner.endStray([])).toBe(0);
    unmarked.kill('SIGKILL');
  });
});

function stray(nonce: string): ChildProcess {
  return spawn('sh', ['-c', 'echo up; exec sleep 300'], {
    env: { PATH: '/usr/bin:/bin', WRIT_ATTEMPT: nonce },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
}

/** Pids of the escaped `sleep` programs, whose environment is empty and whose folder is another: nothing but their output marks them. */
function sleepers(): readonly number[] {
  const table = createProcessTable();
  return processes(table)
    .filter((entry) => !entry.zombie && table.outputs(entry.pid).some((name) => name.startsWith(harness.folder)))
    .map((entry) => entry.pid);
}
