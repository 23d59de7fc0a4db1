import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { look } from './process-tree/members.ts';
import { createProcessTable } from './process-tree/process-table.ts';
import { bundle } from './testing/bundle.ts';
import { writeHopper } from './testing/escapes.ts';
import { createHarness, type Harness } from './testing/harness.ts';
import { processes } from './testing/processes.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness({ graceMs: 100 });
});
afterEach(() => harness.close());

const table = createProcessTable();
const QUIET = '>/dev/null 2>&1 </dev/null';
/** Looks in a row that a process which forks and ends again and again cannot all slip through. */
const LOOKS = 5;

/**
 * What is still there after another look: the kernel takes a process that was killed apart piece by piece, its folder
 * after its descriptors, so that one is seen for a moment when everything else of it is gone.
 */
function survivors(nonce: string): readonly number[] {
  for (let again = 0; again < 2; again += 1) if (seen(nonce).length === 0) return [];
  return seen(nonce);
}

/** Pids of whatever carries the nonce, or has anything of the harness's folder open. */
function seen(nonce: string): readonly number[] {
  const owns = (path: string): boolean => path.startsWith(`${harness.folder}/`) && path.endsWith(' (deleted)');
  const spawners = processes(table).filter(({ parent }) => parent === process.pid);
  const found = Array.from({ length: LOOKS }, () => look({ nonces: [nonce], owns }, table, table.pids(), true).members);
  return found.flat().flatMap(({ pid }) => (spawners.some((spawner) => spawner.pid === pid) ? [] : [pid]));
}

async function leftBy(script: string): Promise<readonly number[]> {
  const spec = harness.spec(['sh', '-c', script]);
  const { report } = await harness.run([], spec);
  expect(report.ending).toEqual({ kind: 'exit', exitCode: 0 });
  return survivors(spec.nonce);
}

describe('a run that ends by itself leaves nothing', () => {
  it('of programs that leave their session twice and are just being made', async () => {
    for (let round = 0; round < 20; round += 1) {
      expect(await leftBy(`setsid sh -c 'setsid sleep 233 & exit 0' ${QUIET} & exit 0`)).toEqual([]);
    }
  });

  it('of the same where they closed all descriptors', async () => {
    for (let round = 0; round < 20; round += 1) {
      expect(await leftBy(`setsid sh -c 'setsid sleep 233 & exit 0' 0<&- 1>&- 2>&- 3>&- & exit 0`)).toEqual([]);
    }
  });

  it('of a program that sheds every mark but what it inherited unasked, under whatever number', async () => {
    const bare = (more: string): string => `cd /; (exec env -i setsid sleep 233 ${QUIET} ${more}) & exit 0`;
    expect(await leftBy(bare(''))).toEqual([]);
    expect(await leftBy(bare('9>&3 3>&-'))).toEqual([]);
  });

  it.each(['in its session', 'in new sessions'] as const)(
    'of a program that forks and ends again and again, %s',
    async (how) => {
      const path = writeHopper(harness.folder, how);
      expect(await leftBy(`sh ${path} ${QUIET} & exit 0`)).toEqual([]);
      expect(await leftBy(`sh ${path} ${QUIET} 3>&- & exit 0`)).toEqual([]);
    },
  );

  it('and its output is whole, and what it writes where nobody reads holds up nothing', async () => {
    const { stdout, report } = await harness.run(['sh', '-c', 'echo junk >&3; echo one; (echo two; echo junk >&3) &']);
    expect(stdout.split('\n').sort()).toEqual(['', 'one', 'two']);
    expect(report.ending).toEqual({ kind: 'exit', exitCode: 0 });
  });
});

describe('a program that forks and ends again and again', () => {
  it('is gone when a cancel is done', async () => {
    const path = writeHopper(harness.folder, 'in new sessions');
    const spec = harness.spec(['sh', '-c', `sh ${path} ${QUIET} & echo up; exec sleep 300`]);
    const run = await harness.start(spec);
    await run.until('up');
    run.stop({ kind: 'cancel', cause: 'enough' });
    expect((await run.done).ending).toMatchObject({ kind: 'cancel' });
    expect(survivors(spec.nonce)).toEqual([]);
  });

  it('does not outlive its node', async () => {
    const { node, spawner, nonce } = await startNode();
    node.kill('SIGKILL');
    while (table.entry(spawner)?.zombie === false) await new Promise((resolve) => setImmediate(resolve));
    expect(survivors(nonce)).toEqual([]);
  });

  it('is ended by the next node where the spawner was killed too', async () => {
    const { nonce } = await crashedNode();
    expect(await harness.runner.endStray([nonce])).toBeGreaterThan(0);
    expect(survivors(nonce)).toEqual([]);
  });

  it('is ended by the next node that does not know it, too', async () => {
    const { nonce } = await crashedNode();
    const { folder } = harness;
    const root = {
      workspaces: join(folder, 'workspaces'),
      transcripts: join(folder, 'transcripts'),
      outputs: join(folder, 'outputs'),
      sockets: join(folder, 'n'),
      secrets: join(folder, 'secrets'),
    };
    const next = await createHarness({ root, graceMs: 100 });
    await next.close();
    expect(survivors(nonce)).toEqual([]);
  });
});

/** A real node process on the harness's folders whose run leaves hoppers behind while it goes on. */
async function startNode(): Promise<{ readonly node: ChildProcess; readonly spawner: number; readonly nonce: string }> {
  const { nonce } = harness.spec([]);
  const path = writeHopper(harness.folder, 'in new sessions');
  const argv = ['sh', '-c', `sh ${path} ${QUIET} & echo up; exec sleep 300`];
  const host = await bundle(new URL('./testing/host.ts', import.meta.url), harness.folder);
  const node = spawn(process.execPath, [host, harness.folder, harness.spawnerScript, nonce, 'none', ...argv], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(node.stdout ?? node, 'data');
  const [spawner] = processes(table).filter((entry) => entry.parent === node.pid);
  return { node, spawner: spawner?.pid ?? 0, nonce };
}

/** A node that is gone together with its spawner, and what its run had started is not. */
async function crashedNode(): Promise<{ readonly nonce: string }> {
  const { node, spawner, nonce } = await startNode();
  process.kill(spawner, 'SIGSTOP');
  node.kill('SIGKILL');
  process.kill(spawner, 'SIGKILL');
  await once(node, 'exit');
  expect(survivors(nonce)).not.toEqual([]);
  return { nonce };
}
