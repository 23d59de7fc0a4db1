import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLogger } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProcessTable } from './process-tree/process-table.ts';
import { bundle } from './testing/bundle.ts';
import { createHarness, type Harness } from './testing/harness.ts';
import { processes } from './testing/processes.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

const table = createProcessTable();
/** Two processes, one of them escaped, both deaf to TERM; `up` when both are. */
const STUBBORN = [
  'sh',
  '-c',
  'trap "" TERM; setsid sh -c "echo up; while :; do sleep 0.1; done" & while :; do sleep 0.1; done',
];

/** The pid of the spawner that a run's main process belongs to. */
function parentOf(pid: number): number {
  return table.entry(pid)?.parent ?? 0;
}

describe('when the spawner is killed', () => {
  it('its runs end as killed, nothing of them is left, and the next run gets a new spawner', async () => {
    const spec = harness.spec(STUBBORN);
    const run = await harness.start(spec);
    await run.until('up');
    process.kill(parentOf(run.pid), 'SIGKILL');
    expect((await run.done).ending).toEqual({ kind: 'signal', signal: 'SIGKILL' });
    expect(harness.alive(spec.nonce)).toEqual([]);
    expect((await harness.run(['echo', 'again'])).stdout).toBe('again\n');
  });

  it('a run that was being cancelled keeps that cause', async () => {
    const run = await harness.start(harness.spec(STUBBORN));
    await run.until('up');
    const spawner = parentOf(run.pid);
    process.kill(spawner, 'SIGSTOP');
    run.stop({ kind: 'cancel', cause: 'asked' });
    process.kill(spawner, 'SIGKILL');
    expect((await run.done).ending).toEqual({ kind: 'cancel', cause: 'asked' });
  });

  it('a start that was under way is refused as unavailable', async () => {
    // Nothing shows from outside when the order is on its way: the spawner is killed a little later each time until it was.
    for (let turns = 0, said = 'ran'; said !== 'RUNNER_UNAVAILABLE'; turns += 5) {
      const run = await harness.start(harness.spec(['sh', '-c', 'echo up; exec sleep 300']));
      await run.until('up');
      const spawner = parentOf(run.pid);
      process.kill(spawner, 'SIGSTOP');
      const outcome = harness.run(['true']).then(
        () => 'ran',
        (error: { readonly code: string }) => error.code,
      );
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      process.kill(spawner, 'SIGKILL');
      said = await outcome;
      expect(['ran', 'RUNNER_UNAVAILABLE']).toContain(said);
      await run.done;
    }
  });

  it('a spawner that cannot start says why', async () => {
    const broken = await createHarness({ spawner: { node: process.execPath, script: '/no/such/spawner.js' } });
    await expect(broken.run(['true'])).rejects.toMatchObject({
      code: 'RUNNER_UNAVAILABLE',
      message: expect.stringContaining('/no/such/spawner.js'),
    });
    await broken.close();
    const absent = await createHarness({ spawner: { node: '/no/such/node', script: harness.spawnerScript } });
    await expect(absent.run(['true'])).rejects.toMatchObject({ code: 'RUNNER_UNAVAILABLE' });
    await absent.close();
  });
});

describe('when the spawner is stopped', () => {
  it('it is killed after a while without an answer, its runs end as killed, and another one is started', async () => {
    const said: unknown[] = [];
    const logger = { ...silentLogger, error: (...words: readonly unknown[]) => said.push(...words) };
    const { spawnerScript: script } = harness;
    const watched = await createHarness({ spawner: { node: process.execPath, script, askEveryMs: 1000 }, logger });
    const spec = watched.spec(STUBBORN);
    const run = await watched.start(spec);
    await run.until('up');
    const spawner = parentOf(run.pid);
    process.kill(spawner, 'SIGSTOP');
    const queued = watched.run(['true']).catch((error: unknown) => error);
    expect((await run.done).ending).toEqual({ kind: 'signal', signal: 'SIGKILL' });
    expect(await queued).toMatchObject({ code: 'RUNNER_UNAVAILABLE' });
    expect(watched.alive(spec.nonce)).toEqual([]);
    expect(table.entry(spawner)).toBeUndefined();
    expect(said).toContainEqual({ words: expect.stringContaining('no answer for 6 s'), runs: 2 });
    expect((await watched.run(['echo', 'again'])).stdout).toBe('again\n');
    await watched.close();
  });

  it('the node ends all the same, and what ran counts as cancelled', async () => {
    const own = await createHarness();
    const spec = own.spec(STUBBORN);
    const run = await own.start(spec);
    await run.until('up');
    process.kill(parentOf(run.pid), 'SIGSTOP');
    own.runner.hasten();
    await own.close();
    expect((await run.done).ending).toMatchObject({ kind: 'cancel' });
    expect(own.alive(spec.nonce)).toEqual([]);
  });
});

describe('when the gateway is killed', () => {
  it('the spawner kills everything and ends', async () => {
    const { node, spawner, nonce } = await startNode();
    node.kill('SIGKILL');
    await when(() => table.entry(spawner) === undefined || table.entry(spawner)?.zombie === true);
    expect(harness.alive(nonce)).toEqual([]);
  });

  it('together with its spawner, the next node finds what they left', async () => {
    const { node, spawner, nonce } = await startNode();
    process.kill(spawner, 'SIGSTOP');
    node.kill('SIGKILL');
    process.kill(spawner, 'SIGKILL');
    await once(node, 'close');
    expect(harness.alive(nonce).length).toBeGreaterThanOrEqual(2);
    expect(await harness.runner.endStray([nonce])).toBeGreaterThanOrEqual(2);
    expect(harness.alive(nonce)).toEqual([]);
  });

  it('its folders are removed by the next node, also by one that runs nothing', async () => {
    const { node } = await startNode();
    node.kill('SIGKILL');
    await once(node, 'close');
    expect(await harness.leftovers()).not.toEqual([]);
    const { folder } = harness;
    const root = {
      workspaces: join(folder, 'workspaces'),
      transcripts: join(folder, 'transcripts'),
      outputs: join(folder, 'outputs'),
      sockets: join(folder, 'n'),
      secrets: join(folder, 'secrets'),
    };
    const next = await createHarness({ root });
    await next.close();
    expect(await harness.leftovers()).toEqual([]);
  });
});

describe('when git hangs', () => {
  const workspace = { name: 'app', path: '/' };
  let slow: Harness;
  beforeEach(async () => {
    const bin = join(harness.folder, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'git'), '#!/bin/sh\ntrap "" TERM\necho up > "$HOME/up"\nwhile :; do sleep 0.1; done\n', {
      mode: 0o755,
    });
    slow = await createHarness({ env: { PATH: `${bin}:/usr/bin:/bin` }, graceMs: 100 });
  });
  afterEach(() => slow.close());

  it('the time of the task is over for it too, and nothing is left', async () => {
    const spec = slow.spec(['true'], { workspace, timeoutMs: 100 });
    await expect(slow.run([], spec)).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining('longer than the task may take'),
    });
    expect(slow.alive(spec.nonce)).toEqual([]);
  });

  it('closing the runner does not wait for it', async () => {
    const spec = slow.spec(['true'], { workspace });
    const refused = expect(slow.run([], spec)).rejects.toMatchObject({ code: 'GIT_FAILED' });
    await when(() => slow.alive(spec.nonce).length > 0);
    await slow.runner.close();
    await refused;
    expect(slow.alive(spec.nonce)).toEqual([]);
    expect(await slow.leftovers()).toEqual([]);
  });
});

describe('a closed runner', () => {
  it('has ended its runs as cancelled and takes no more', async () => {
    const spec = harness.spec(STUBBORN);
    const run = await harness.start(spec);
    await run.until('up');
    await Promise.all([harness.runner.close(), harness.runner.close()]);
    expect((await run.done).ending).toMatchObject({ kind: 'cancel' });
    expect(harness.alive(spec.nonce)).toEqual([]);
    expect(await harness.leftovers()).toEqual([]);
    await expect(harness.run(['true'])).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  });
});

describe('a sink that throws', () => {
  it('does not keep the run from ending', async () => {
    const run = await harness.launch(harness.spec(['echo', 'x']), {
      output() {
        throw new Error('broken');
      },
    });
    expect(await run.done).toMatchObject({ ending: { kind: 'exit', exitCode: 0 }, stdoutBytes: 2 });
  });
});

/** A real node process on the harness's folders with a stubborn run. */
async function startNode(): Promise<{ readonly node: ChildProcess; readonly spawner: number; readonly nonce: string }> {
  const { nonce } = harness.spec([]);
  const host = await bundle(new URL('./testing/host.ts', import.meta.url), harness.folder);
  const node = spawn(process.execPath, [host, harness.folder, harness.spawnerScript, nonce, 'none', ...STUBBORN], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(node.stdout ?? node, 'data');
  const [spawner] = processes(table).filter((entry) => entry.parent === node.pid);
  return { node, spawner: spawner?.pid ?? 0, nonce };
}

/** Resolves once `check` holds. */
async function when(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setImmediate(resolve));
}
