import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256Hex, silentLogger } from '@writ/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProcessTable } from './process-tree/process-table.ts';
import { createHarness } from './testing/harness.ts';
import { createTranscripts } from './transcripts.ts';
import type { RunInput, RunReport } from './types.ts';

const MIB = 1024 * 1024;
const argvOf = (...argv: string[]): RunInput => ({ kind: 'argv', argv });

/** Resident bytes of a process. */
async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

describe('the transcript', () => {
  it('holds what was reported, at the offset that was reported, and can be read in pages', async () => {
    const harness = await createHarness();
    const spec = harness.spec(['sh', '-c', 'for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done']);
    const reported: { readonly bytes: Uint8Array; readonly offset: number | undefined }[] = [];
    const run = await harness.launch(spec, { output: (_, bytes, offset) => reported.push({ bytes, offset }) });
    await run.done;
    const whole = await harness.runner.readTranscript(spec.task, 0, MIB);
    expect(whole.length).toBe(60);
    for (const { bytes, offset = -1 } of reported) {
      expect(
        Buffer.from(whole)
          .subarray(offset, offset + bytes.length)
          .equals(bytes),
      ).toBe(true);
    }
    const pages: Uint8Array[] = [];
    for (let at = 0; at < 60; at += 7) pages.push(await harness.runner.readTranscript(spec.task, at, 7));
    expect(Buffer.concat(pages).equals(whole)).toBe(true);
    expect(await harness.runner.readTranscript(spec.task, 60, 7)).toHaveLength(0);
    expect(await harness.runner.readTranscript(spec.task, 1000, 7)).toHaveLength(0);
    expect(await harness.runner.readTranscript('another', 0, 7)).toHaveLength(0);
    await harness.close();
  });

  it('of a run without output is no file, and its digest is that of nothing', async () => {
    const harness = await createHarness();
    const { report } = await harness.run(['true']);
    expect(report.transcript).toEqual({ sha256: sha256Hex(''), bytes: 0 });
    expect(existsSync(join(harness.folder, 'transcripts'))).toBe(false);
    await harness.close();
  });

  it('is for the node alone, and a task’s name leads nowhere else', async () => {
    const harness = await createHarness();
    const spec = harness.spec(['echo', 'x'], { task: '../../escaped' });
    await harness.run(['echo', 'x'], spec);
    expect(Buffer.from(await harness.runner.readTranscript(spec.task, 0, 10)).toString()).toBe('x\n');
    const plain = harness.spec(['echo', 'y']);
    await harness.run(['echo', 'y'], plain);
    const folder = join(harness.folder, 'transcripts');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, `${plain.task}.log`)).mode & 0o777).toBe(0o600);
    await harness.close();
  });

  it('goes on where an earlier attempt of the task ended', async () => {
    const harness = await createHarness();
    const first = harness.spec(['echo', 'one']);
    await harness.run(['echo', 'one'], first);
    await harness.run(['echo', 'two'], {
      ...first,
      epoch: 2,
      nonce: 'second',
      input: { kind: 'argv', argv: ['echo', 'two'] },
    });
    expect(Buffer.from(await harness.runner.readTranscript(first.task, 0, 100)).toString()).toBe('one\ntwo\n');
    const { report } = await harness.run(['true'], { ...first, epoch: 3, nonce: 'third', input: argvOf('true') });
    expect(report.transcript).toEqual({ sha256: sha256Hex('one\ntwo\n'), bytes: 8 });
    await harness.close();
  });

  it('has room for all that may be written, whatever its cap', async () => {
    const harness = await createHarness({ transcriptCapBytes: 1000 });
    const spec = harness.spec(['sh', '-c', 'yes | head -c 300000'], { maxOutputBytes: 300_000 });
    const { report } = await harness.run([], spec);
    expect(report).toMatchObject({ truncated: false, stdoutBytes: 300_000 });
    const whole = await harness.runner.readTranscript(spec.task, 0, MIB);
    expect(whole).toHaveLength(300_000);
    expect(report.transcript).toEqual({ sha256: sha256Hex(whole), bytes: 300_000 });
    await harness.close();
  });

  it('has no room for pieces without number: what was left out is told', async () => {
    const root = await mkdtemp(join(tmpdir(), 'writ-pieces-'));
    onTestFinished(() => rm(root, { recursive: true }));
    const writer = createTranscripts(root, 2048, silentLogger).writer('t', 10);
    let kept = 0;
    for (let piece = 0; piece < 1100; piece += 1) kept += (await writer.append(Buffer.from('.'))).kept;
    expect({ kept, isCut: writer.isCut }).toEqual({ kept: 1056, isCut: true });
    expect(await writer.close()).toEqual({ sha256: sha256Hex('.'.repeat(1056)), bytes: 1056 });
  });

  it('stops at its cap to the byte; the rest is counted without an offset', async () => {
    const harness = await createHarness({ transcriptCapBytes: 100_000 });
    const spec = harness.spec(['sh', '-c', 'yes | head -c 300000'], { maxOutputBytes: 50_000 });
    let kept = 0;
    let dropped = 0;
    const run = await harness.launch(spec, {
      output(_, bytes, offset) {
        if (offset === undefined) dropped += bytes.length;
        else {
          expect(offset).toBe(kept);
          kept += bytes.length;
        }
      },
    });
    const report = await run.done;
    expect(report).toMatchObject({ truncated: true, stdoutBytes: 300_000 });
    expect({ kept, dropped }).toEqual({ kept: 100_000, dropped: 200_000 });
    const whole = await harness.runner.readTranscript(spec.task, 0, MIB);
    expect(whole).toHaveLength(100_000);
    expect(report.transcript).toEqual({ sha256: sha256Hex(whole), bytes: 100_000 });
    await harness.close();
  });

  it('that cannot be written lets the run go on and says why', async () => {
    const harness = await createHarness();
    const spec = harness.spec(['sh', '-c', 'echo x; exit 2']);
    await mkdir(join(harness.folder, 'transcripts', `${spec.task}.log`), { recursive: true });
    const { report, stdout } = await harness.run([], spec);
    expect(report).toMatchObject({ ending: { kind: 'exit', exitCode: 2 }, truncated: true, stdoutBytes: 2 });
    expect(report.unwritten).toContain('EISDIR');
    expect(report).not.toHaveProperty('transcript');
    expect(stdout).toBe('x\n');
    await harness.close();
  });
});

/** How much is written, in MiB, where a long run tries more. */
const FLOOD_BYTES = Number(process.env.WRIT_TEST_FLOOD_MIB ?? 512) * MIB;
const LONG_ENOUGH = { timeout: 60_000 * Math.ceil(FLOOD_BYTES / (512 * MIB)) };

describe('a flood of output', () => {
  it('is drained to the last byte in flat memory, and holds up no other run', LONG_ENOUGH, async () => {
    const harness = await createHarness();
    const flood = async (bytes: number): Promise<{ readonly report: RunReport; readonly peakBytes: number }> => {
      let peakBytes = 0;
      let count = 0;
      let measuring: Promise<void> = Promise.resolve();
      const spec = harness.spec(['head', '-c', String(bytes), '/dev/zero'], { timeoutMs: LONG_ENOUGH.timeout });
      const run = await harness.launch(spec, {
        output() {
          count += 1;
          if (count % 64 !== 1) return;
          measuring = measuring.then(async () => {
            peakBytes = Math.max(peakBytes, (await residentBytes(spawner)) + process.memoryUsage().rss);
          });
        },
      });
      expect((await harness.run(['echo', 'meanwhile'])).stdout).toBe('meanwhile\n');
      const report = await run.done;
      await measuring;
      return { report, peakBytes };
    };
    const probe = await harness.start(harness.spec(['sh', '-c', 'echo up; exec sleep 300']));
    await probe.until('up');
    const spawner = createProcessTable().entry(probe.pid)?.parent ?? 0;
    probe.stop({ kind: 'cancel', cause: 'known' });
    await probe.done;
    const small = await flood(64 * MIB);
    const large = await flood(FLOOD_BYTES);
    expect(large.report).toMatchObject({ ending: { kind: 'exit', exitCode: 0 }, truncated: true });
    expect(large.report.stdoutBytes).toBe(FLOOD_BYTES);
    expect(small.peakBytes).toBeGreaterThan(0);
    expect(large.peakBytes - small.peakBytes).toBeLessThan(48 * MIB);
    await harness.close();
  });

  it('of a run that is cancelled ends at once', async () => {
    const harness = await createHarness();
    const spec = harness.spec(['sh', '-c', 'trap "" TERM; yes']);
    let seen: () => void = () => {};
    const flowing = new Promise<void>((resolve) => {
      seen = resolve;
    });
    const run = await harness.launch(spec, { output: () => seen() });
    await flowing;
    run.stop({ kind: 'cancel', cause: 'enough' });
    expect((await run.done).ending).toEqual({ kind: 'cancel', cause: 'enough' });
    expect(harness.alive(spec.nonce)).toEqual([]);
    await harness.close();
  });
});
