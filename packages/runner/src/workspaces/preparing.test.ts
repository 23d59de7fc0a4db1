import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHangingGit, type HangingGit } from '../testing/hanging-git.ts';
import { createHarness, type Harness } from '../testing/harness.ts';
import type { RunSpec } from '../types.ts';

const never = new AbortController().signal;
const sink = { output: () => {} };

let folder: string;
let git: HangingGit;
let harness: Harness;
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'writ-preparing-')));
  git = createHangingGit(folder);
  harness = await createHarness({ env: { PATH: `${git.bin}:/usr/bin:/bin` } });
});
afterEach(async () => {
  await harness.runner.close();
  expect(await harness.leftovers()).toEqual([]);
  await harness.close();
  rmSync(folder, { recursive: true });
});

/** A spec whose workspace cannot be cloned, ever. */
function hanging(over: Partial<RunSpec> = {}): RunSpec {
  return harness.spec(['true'], { workspace: { name: 'app', path: folder }, ...over });
}

describe('a clone that hangs', () => {
  it('is killed as soon as it is not wanted any more, deaf and escaped processes too', async () => {
    const spec = hanging();
    const wanted = new AbortController();
    const preparing = expect(harness.runner.prepare(spec, wanted.signal)).rejects.toMatchObject({ code: 'CANCELLED' });
    await git.started();
    expect(harness.alive(spec.nonce).length).toBeGreaterThanOrEqual(2);
    wanted.abort();
    await preparing;
    expect(harness.alive(spec.nonce)).toEqual([]);
  });

  it('is killed when the runner closes', async () => {
    const spec = hanging();
    const preparing = expect(harness.runner.prepare(spec, never)).rejects.toMatchObject({ code: 'GIT_FAILED' });
    await git.started();
    await harness.runner.close();
    await preparing;
    expect(harness.alive(spec.nonce)).toEqual([]);
  });

  it('is found by its marker, as after a crash of the node', async () => {
    const spec = hanging();
    const preparing = expect(harness.runner.prepare(spec, never)).rejects.toMatchObject({ code: 'GIT_FAILED' });
    await git.started();
    expect(await harness.runner.endStray([spec.nonce])).toBeGreaterThanOrEqual(2);
    await preparing;
    expect(harness.alive(spec.nonce)).toEqual([]);
  });

  it('is never begun for what may not run, nor for what is not wanted', async () => {
    const refused = [
      [hanging({ commands: [['false']] }), never, 'COMMAND_NOT_ALLOWED'],
      [hanging(), AbortSignal.abort(), 'CANCELLED'],
    ] as const;
    for (const [spec, signal, code] of refused) {
      await expect(harness.runner.prepare(spec, signal)).rejects.toMatchObject({ code });
    }
  });
});

describe('a prepared run', () => {
  it('looks at the final spec again', async () => {
    const prepared = await harness.runner.prepare(harness.spec(['true']), never);
    const refused = harness.spec(['true'], { commands: [['false']] });
    await expect(prepared.start(refused, sink)).rejects.toMatchObject({ code: 'COMMAND_NOT_ALLOWED' });
  });

  it('is used once', async () => {
    const spec = harness.spec(['true']);
    const prepared = await harness.runner.prepare(spec, never);
    await (await prepared.start(spec, sink)).done;
    await expect(prepared.start(spec, sink)).rejects.toMatchObject({ code: 'INTERNAL' });
    prepared.discard();
  });

  it('leaves nothing when it is not used, whoever gives it up', async () => {
    (await harness.runner.prepare(harness.spec(['true']), never)).discard();
    const left = await harness.runner.prepare(harness.spec(['true']), never);
    await harness.runner.close();
    await expect(left.start(harness.spec(['true']), sink)).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  });
});
