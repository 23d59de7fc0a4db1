import { readFileSync } from 'node:fs';
import { follow, run, startThreeNodes, submit, type ThreeNodes, until } from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MIB = 1024 * 1024;
const HUGE_BYTES = 200 * MIB;
/** What a node may hold more than before while the output goes through it. */
const ROOM_BYTES = 220 * MIB;

const lots = (bytes: number): string[] => ['sh', '-c', `head -c ${bytes} /dev/zero | tr '\\0' 'x'`];

let nodes: ThreeNodes;
beforeAll(async () => {
  nodes = await startThreeNodes();
  await nodes.beta.client().call('lease_grant', { peer: 'alpha', profile: 'repo-dev', duration: '1h' });
}, 120_000);
afterAll(() => nodes.mesh.close(), 60_000);

const work = (argv: string[]) => ({ profile: 'repo-dev', workspace: 'app', argv });

/** Resident memory of a node, bytes. */
function residentBytes(pid: number): number {
  const [, kib = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}

/** Highest resident memory of the nodes above what they held at the call, until `stop`. */
function watchMemory(pids: readonly number[]) {
  const before = pids.map(residentBytes);
  const most = pids.map(() => 0);
  const timer = setInterval(() => {
    for (const [at, pid] of pids.entries()) most[at] = Math.max(most[at] ?? 0, residentBytes(pid) - (before[at] ?? 0));
  }, 20);
  return {
    stop: () => {
      clearInterval(timer);
      return most;
    },
  };
}

describe('an output of 200 MiB', () => {
  it('goes through both nodes in bounded memory, and what is left out is told exactly', async () => {
    const pids = [nodes.alpha.pid() ?? -1, nodes.beta.pid() ?? -1];
    const memory = watchMemory(pids);
    let seenBytes = 0;
    let droppedBytes = 0;
    const task = await submit(nodes.alpha, work(lots(HUGE_BYTES)));
    const { outcome } = await follow(nodes.alpha, task, (event) => {
      if (event.kind === 'output') seenBytes += event.length;
      if (event.kind === 'dropped') droppedBytes += event.bytes;
    });
    const most = memory.stop();
    expect(outcome).toMatchObject({
      state: 'failed',
      code: 'RESULT_TOO_LARGE',
      truncated: true,
      stdout_bytes: HUGE_BYTES,
      stderr_bytes: 0,
    });
    expect(seenBytes + droppedBytes).toBe(HUGE_BYTES);
    expect(seenBytes).toBeGreaterThan(MIB);
    for (const bytes of most) expect(bytes).toBeLessThan(ROOM_BYTES);
    // The transcript is the same at both ends, byte for byte as long.
    const log = nodes.alpha.start('task', 'log', task);
    expect((await log.ended).stdout.length).toBe(seenBytes);
  }, 120_000);

  it('within the limit of the profile and over the room of a transcript is complete, and what has no room is counted', async () => {
    const config = nodes.beta.config();
    await nodes.beta.configure(config.replaceAll('shell = "allow"', 'shell = "allow"\nmax_output = "1GiB"'));
    const { outcome, events, output } = await run(nodes.alpha, work(lots(70 * MIB)));
    await nodes.beta.configure(config);
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ state: 'completed', stdout_bytes: 70 * MIB });
    const dropped = events.reduce((sum, event) => sum + (event.kind === 'dropped' ? event.bytes : 0), 0);
    expect(dropped).toBeGreaterThan(0);
    expect(output.length + dropped).toBe(70 * MIB);
  }, 60_000);
});

describe('an output', () => {
  it('of any bytes arrives as it was written', async () => {
    const script = `i=0; while [ $i -lt 256 ]; do printf "\\\\$(printf %03o $i)"; i=$((i+1)); done`;
    const { output } = await run(nodes.alpha, work(['sh', '-c', script]));
    expect(output).toEqual(Buffer.from(Array.from({ length: 256 }, (_, at) => at)));
  });

  it('keeps its two streams apart, and counts both', async () => {
    const done = await nodes.alpha.writ(
      'delegate',
      '-p',
      'beta',
      '--profile',
      'repo-dev',
      '-w',
      'app',
      '--',
      'sh',
      '-c',
      'printf out; printf err >&2',
    );
    expect(done).toMatchObject({ code: 0, stdout: 'out' });
    expect(done.stderr).toContain('err');
  });

  it('of a reader that goes away stops nothing', async () => {
    const task = await submit(nodes.alpha, work(['sh', '-c', 'echo first; head -c 4000000 /dev/zero; echo last >&2']));
    for await (const event of nodes.alpha.client().stream('task_watch', { task })) if (event.kind === 'output') break;
    await until('it has ended all the same', async () => {
      const { outcome } = await nodes.alpha.client().call('status', { task });
      return outcome?.state === 'completed' || undefined;
    });
  });

  it('is there in the mirror of a finished task, and complete at each offset', async () => {
    const { output } = await run(nodes.alpha, work(lots(3 * MIB)));
    const [task] = (await nodes.alpha.client().call('list_tasks', { limit: 1 })).tasks;
    const chunks: Buffer[] = [];
    for await (const chunk of nodes.alpha.client().stream('task_log', { task: task?.task ?? '', offset: MIB })) {
      chunks.push(Buffer.from(chunk.data, 'base64'));
    }
    expect(Buffer.concat(chunks).equals(output.subarray(MIB))).toBe(true);
  });

  it('without an end of line, or none at all, is complete', async () => {
    expect((await run(nodes.alpha, work(['printf', 'no newline']))).output.toString()).toBe('no newline');
    expect((await run(nodes.alpha, work(['true']))).output.length).toBe(0);
  });
});
