import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock } from '@writ/core';
import { createTestNode } from '@writ/testkit/delegation';
import { expect, it } from 'vitest';
import { createHangingGit } from './testing/hanging-git.ts';
import { createHarness } from './testing/harness.ts';

const policy = (path: string, profiles: string): string => `schema = 1
[node]
name = "box"
[workspaces.app]
path = "${path}"
[profiles.reader]
capabilities = ["read_repo"]
commands = [["true"]]
runner = "shell"
isolation = "none"
[self]
profiles = [${profiles}]
workspaces = ["app"]
`;

it('a reload that takes a profile away is acknowledged while a clone hangs, and nothing of the task is left', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'writ-revocation-')));
  const git = createHangingGit(folder);
  const harness = await createHarness({ env: { PATH: `${git.bin}:/usr/bin:/bin` } });
  const nonces: string[] = [];
  const runner: typeof harness.runner = {
    ...harness.runner,
    prepare(spec, signal) {
      nonces.push(spec.nonce);
      return harness.runner.prepare(spec, signal);
    },
  };
  const node = await createTestNode({ clock: createSystemClock(), runner, policy: policy(folder, '"reader"') });
  try {
    const answer = await node.executor.submit({
      ...{ task: 't1', idempotencyKey: 't1', agent: 'tester' },
      subject: { from: 'self', origin: 'self', session: 's1' },
      spec: { input: { kind: 'argv', argv: ['true'] }, profile: 'reader', workspace: 'app' },
    });
    expect(answer).toMatchObject({ accepted: true });
    await git.started();
    expect(nonces.flatMap(harness.alive).length).toBeGreaterThanOrEqual(2);
    expect(await node.engine.reload(policy(folder, ''), { acceptWidening: false })).toMatchObject({ reloaded: true });
    for await (const _ of node.executor.watch('t1', 0, new AbortController().signal)) void _;
    expect(node.executor.get('t1')?.outcome).toMatchObject({ state: 'failed', code: 'PROFILE_NOT_ALLOWED' });
    expect(node.executor.get('t1')?.attemptNonce).toBeUndefined();
    expect(nonces.flatMap(harness.alive)).toEqual([]);
  } finally {
    await node.close();
    await harness.close();
    rmSync(folder, { recursive: true });
  }
});
