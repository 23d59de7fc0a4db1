import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHarness, type Harness } from '../testing/harness.ts';
import { NOTHING } from '../testing/sandboxed.ts';

const SECRET = 'sk-very-secret-0123456789';

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness();
  mkdirSync(join(harness.folder, 'secrets'));
  writeFileSync(join(harness.folder, 'secrets', 'token'), `${SECRET}\n`);
  symlinkSync('token', join(harness.folder, 'secrets', 'link'));
});
afterAll(() => harness.close());

const withSecrets = (...secrets: readonly string[]): { reach: typeof NOTHING } => ({ reach: { ...NOTHING, secrets } });

describe('secrets of a run', () => {
  it('are files outside the workspace while it runs, and gone afterwards', async () => {
    const script =
      'wc -c < "$WRIT_SECRETS/token"; ls -A; stat -c %a "$WRIT_SECRETS" "$WRIT_SECRETS/token"; echo "$WRIT_SECRETS"';
    const spec = harness.spec(['sh', '-c', script], withSecrets('token'));
    const run = await harness.start(spec);
    await run.done;
    const said = (await run.until('secrets\n')).split('\n');
    expect(said.slice(0, 3)).toEqual(['26', '700', '400']);
    expect(said[3]?.startsWith(run.files.dir)).toBe(false);
    expect(existsSync(said[3] ?? '')).toBe(false);
    run.release();
  });

  it('are called as their variables are', async () => {
    writeFileSync(join(harness.folder, 'secrets', 'NPM_TOKEN'), SECRET);
    const spec = harness.spec(['sh', '-c', 'wc -c < "$WRIT_SECRETS/NPM_TOKEN"'], withSecrets('NPM_TOKEN'));
    expect((await harness.run([], spec)).stdout.trim()).toBe('25');
  });

  it('are not there for a run that has none', async () => {
    expect((await harness.run(['sh', '-c', 'echo "$WRIT_SECRETS"'])).stdout).toBe('\n');
  });

  it('stand in nothing that is kept, in whatever pieces they are written', async () => {
    const script = `cat "$WRIT_SECRETS/token"; printf 'sk-very-'; sleep 0.05; printf 'secret-0123456789 end\\n'; cat "$WRIT_SECRETS/token" >&2; base64 < "$WRIT_SECRETS/token"`;
    const spec = harness.spec(['sh', '-c', script], withSecrets('token'));
    const { stdout, stderr, report } = await harness.run([], spec);
    const kept = readFileSync(join(harness.folder, 'transcripts', `${spec.task}.log`), 'utf8');
    for (const text of [stdout, stderr, kept, JSON.stringify(report)]) {
      expect(text).not.toContain('secret-');
      expect(text).not.toContain(Buffer.from(SECRET).toString('base64').slice(0, 20));
    }
    expect(stdout).toMatch(/^\[redacted\]\n\[redacted\] end\n\[redacted\]=*\n?$/);
    expect(stderr).toBe('[redacted]\n');
  });

  it('include the task’s own token', async () => {
    const access = { socket: join(harness.folder, 'gone.sock'), token: 'wtt_of-this-task' };
    expect((await harness.run(['sh', '-c', 'echo "$WRIT_TASK_TOKEN"'], { access })).stdout).toBe('[redacted]\n');
  });

  it('include variables of the node that the profile lets pass, where their name says so', async () => {
    const env = ['MY_API_KEY', 'MY_NAME'];
    const own = await createHarness({ env: { PATH: '/usr/bin:/bin', MY_API_KEY: SECRET, MY_NAME: 'somebody' } });
    try {
      const { stdout } = await own.run(['sh', '-c', 'echo "$MY_API_KEY $MY_NAME"'], { env });
      expect(stdout).toBe('[redacted] somebody\n');
    } finally {
      await own.close();
    }
  });

  it.each(['gone', 'link', '../keys', '', '.token'])('refuse %j, and leave nothing', async (name) => {
    await expect(harness.run(['true'], withSecrets('token', name))).rejects.toMatchObject({
      code: 'RUNNER_UNAVAILABLE',
      nextSteps: [expect.stringContaining('on the executing node')],
    });
  });
});
