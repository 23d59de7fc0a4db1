import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeWith } from '../../../../test/support/require.ts';
import { look } from '../process-tree/members.ts';
import { createProcessTable } from '../process-tree/process-table.ts';
import { bundle } from '../testing/bundle.ts';
import { writeHopper } from '../testing/escapes.ts';
import { createHarness, type Harness } from '../testing/harness.ts';
import { processes } from '../testing/processes.ts';

const table = createProcessTable();
const QUIET = '>/dev/null 2>&1 </dev/null';
/** Leaves its session twice, is deaf to TERM, and sheds environment, folder and lifeline. */
const DEAF = `(cd /; exec env -i setsid sh -c 'trap "" TERM; setsid sh -c "trap : TERM; while :; do sleep 0.05; done" & while :; do sleep 0.05; done' ${QUIET} 3>&-) &`;

describeWith(['bwrap', 'setsid'], 'what a sandboxed run started', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness({ graceMs: 100 });
  });
  afterEach(() => harness.close());

  /** Pids that are in a sandbox of this harness: in no other way could they be told once they shed every mark. */
  const inside = (leader: number): readonly number[] => {
    const all = processes(table).filter(({ zombie }) => !zombie);
    const found = new Set([leader]);
    for (let size = 0; size < found.size; ) {
      size = found.size;
      for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
    }
    return [...found].filter((pid) => all.some((entry) => entry.pid === pid));
  };
  const alive = (pids: readonly number[]): readonly number[] =>
    pids.filter((pid) => table.entry(pid)?.zombie === false);

  it('is gone when it ends by itself, whatever it shed', async () => {
    for (let round = 0; round < 20; round += 1) {
      const spec = harness.spec(['sh', '-c', `${DEAF} echo up; until test -e go; do sleep 0.01; done`], {
        isolation: 'required',
      });
      const run = await harness.start(spec);
      await run.until('up');
      const pids = inside(run.pid);
      expect(pids.length).toBeGreaterThan(2);
      writeFileSync(join(run.files.dir, 'go'), '');
      expect((await run.done).ending).toEqual({ kind: 'exit', exitCode: 0 });
      expect(alive(pids)).toEqual([]);
      run.release();
    }
  });

  it('is gone when a cancel is done, and had its time to obey', async () => {
    const script = `${DEAF} trap "echo obeyed; exit 0" TERM; echo up; while :; do sleep 0.01; done`;
    const run = await harness.start(harness.spec(['sh', '-c', script], { isolation: 'required' }));
    await run.until('up');
    const pids = inside(run.pid);
    run.stop({ kind: 'cancel', cause: 'enough' });
    expect((await run.done).ending).toMatchObject({ kind: 'cancel' });
    await run.until('obeyed');
    expect(alive(pids)).toEqual([]);
  });

  it('is gone though it forks and ends again and again', async () => {
    const path = writeHopper(harness.folder, 'in new sessions');
    const reach = { workspace: 'none', scratch: false, readPaths: [path], network: 'deny', secrets: [] } as const;
    const spec = harness.spec(['sh', '-c', `sh ${path} ${QUIET} 3>&- & exit 0`], { isolation: 'required', reach });
    const { report } = await harness.run([], spec);
    expect(report.ending).toEqual({ kind: 'exit', exitCode: 0 });
    expect(look({ nonces: [spec.nonce] }, table, table.pids(), true).members).toEqual([]);
  });

  it('does not outlive its node, nor node and spawner killed together', async () => {
    for (const together of [false, true]) {
      const { node, spawner, pids } = await startNode();
      if (together) process.kill(spawner, 'SIGKILL');
      node.kill('SIGKILL');
      await once(node, 'exit');
      while (alive([spawner, ...pids]).length > 0) await new Promise((resolve) => setImmediate(resolve));
    }
  });

  async function startNode(): Promise<{ node: ChildProcess; spawner: number; pids: readonly number[] }> {
    const { nonce } = harness.spec([]);
    const host = await bundle(new URL('../testing/host.ts', import.meta.url), harness.folder);
    const argv = [
      host,
      harness.folder,
      harness.spawnerScript,
      nonce,
      'required',
      'sh',
      '-c',
      `${DEAF} echo up; sleep 600`,
    ];
    const node = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(node.stdout, 'data');
    const [spawner] = processes(table).filter((entry) => entry.parent === node.pid);
    return { node, spawner: spawner?.pid ?? 0, pids: inside(spawner?.pid ?? 0) };
  }
});
