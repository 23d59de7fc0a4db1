import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '../../../../test/support/require.ts';
import { createSandboxed, type Sandboxed } from '../testing/sandboxed.ts';

describeWith(['bwrap', 'git'], 'what a capability lets a sandboxed run reach', () => {
  let at: Sandboxed;
  let outside: string;
  beforeAll(async () => {
    at = await createSandboxed();
    outside = join(at.folder, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'note'), 'a note\n');
  });
  afterAll(() => at.close());

  const said = async (...args: Parameters<Sandboxed['script']>): Promise<string> => {
    const { stdout, stderr } = await at.script(...args);
    return `${stdout}${stderr}`.trim();
  };

  it('without a capability for the repository there is an empty folder, and nothing can be put into it', async () => {
    expect(await said('ls -A | wc -l; touch x 2>/dev/null || echo shut')).toBe('0\nshut');
  });

  it('read_repo shows the workspace, and lets nothing be written, removed or committed there', async () => {
    const script =
      'cat file; git log --oneline | wc -l; echo x > file || echo shut; rm -f file || echo shut; touch .git/x || echo shut';
    const { stdout } = await at.script(script, { workspace: 'read' });
    expect(stdout).toBe('of the workspace\n1\nshut\nshut\nshut\n');
  });

  it('edit_repo lets it be written and committed', async () => {
    const commit = 'git -c user.name=t -c user.email=t@localhost commit -qam two';
    expect(await said(`echo more >> file && ${commit} && git log --oneline | wc -l`, { workspace: 'write' })).toBe('2');
  });

  it('run_tests gives writable space beside a workspace that is read-only', async () => {
    const script = 'touch x 2>/dev/null || echo shut; touch "$WRIT_SCRATCH/x" && ls "$WRIT_SCRATCH"';
    expect(await said(script, { workspace: 'read', scratch: true })).toBe('shut\nx');
    expect(await said('echo "scratch:$WRIT_SCRATCH"', { workspace: 'read' })).toBe('scratch:');
  });

  it('read_files shows the paths of the profile, to be read only', async () => {
    const script = `cat ${outside}/note; echo x > ${outside}/note || echo shut; touch ${outside}/y || echo shut`;
    expect((await at.script(script, { readPaths: [outside] })).stdout).toBe('a note\nshut\nshut\n');
    expect(await said(`cat ${outside}/note 2>/dev/null || echo nothing`)).toBe('nothing');
  });

  it('a path that is a link is shown where it leads, and one that is not there or the node’s own is refused', async () => {
    const link = join(at.folder, 'link');
    symlinkSync(outside, link);
    expect(await said(`cat ${outside}/note`, { readPaths: [link] })).toBe('a note');
    for (const path of [join(at.folder, 'gone'), '/dev/null']) {
      await expect(at.script('true', { readPaths: [path] })).rejects.toMatchObject({
        code: 'ISOLATION_UNAVAILABLE',
        message: expect.stringContaining('is no file and no folder'),
      });
    }
    await expect(at.script('true', { readPaths: [join(at.nodeHome, 'secret')] })).rejects.toMatchObject({
      code: 'ISOLATION_UNAVAILABLE',
      message: expect.stringContaining('belongs to the node itself'),
    });
  });

  it('a path that holds the node’s own folders shows them empty, and the run’s own folders still work', async () => {
    const script = `cat file; ls -A ${at.nodeHome} | wc -l; touch ${at.nodeHome}/x || echo shut; touch "$HOME/x" "$TMPDIR/x" && echo own`;
    const { stdout } = await at.script(script, { workspace: 'read', readPaths: [at.folder] });
    expect(stdout).toBe('of the workspace\n0\nshut\nown\n');
  });

  it('without use_network nothing is reached, not even this machine', async () => {
    const script =
      'ls /sys/class/net 2>/dev/null; cat /proc/net/dev | tail -n +3 | cut -d: -f1; cat /proc/net/route | tail -n +2';
    expect(await said(script)).toBe('lo');
  });

  it('a program that the sandbox does not show is told of by name', async () => {
    const tool = join(outside, 'tool');
    writeFileSync(tool, '#!/bin/sh\necho it runs\n', { mode: 0o755 });
    const spec = { isolation: 'required' } as const;
    await expect(at.run([tool], spec)).rejects.toMatchObject({
      code: 'WORKER_FAILED',
      message: expect.stringContaining('is not there in the sandbox'),
    });
    const reach = { workspace: 'none', scratch: false, readPaths: [outside], network: 'deny', secrets: [] } as const;
    expect((await at.run([tool], { ...spec, reach })).stdout).toBe('it runs\n');
  });

  it('exit status, output and time limit are those of the program', async () => {
    const { report, stdout, stderr } = await at.script('echo out; echo err >&2; exit 3');
    expect([report.ending, stdout, stderr]).toEqual([{ kind: 'exit', exitCode: 3 }, 'out\n', 'err\n']);
    const late = await at.run(['sleep', '60'], { isolation: 'required', timeoutMs: 200 });
    expect(late.report.ending).toEqual({ kind: 'timeout', timeoutMs: 200 });
  });

  it('a signal that ends the program is told as one, and an exit status as it was given', async () => {
    const endingOf = async (script: string): Promise<unknown> => {
      const { report, stdout, stderr } = await at.script(script);
      return [report.ending, stdout + stderr];
    };
    for (const signal of ['SIGKILL', 'SIGTERM', 'SIGSEGV', 'SIGXFSZ', 'SIGHUP']) {
      expect(await endingOf(`kill -${signal.slice(3)} $$`)).toEqual([{ kind: 'signal', signal }, '']);
    }
    for (const exitCode of [0, 1, 127, 128 + 2, 128 + 9, 128 + 15, 255]) {
      expect(await endingOf(`exit ${exitCode}`)).toEqual([{ kind: 'exit', exitCode }, '']);
    }
  });

  it('a signal to its whole process group ends a program as it would outside', async () => {
    const endingOf = async (script: string): Promise<unknown> => (await at.script(script)).report.ending;
    expect(await endingOf('kill -KILL 0')).toEqual({ kind: 'signal', signal: 'SIGKILL' });
    expect(await endingOf('kill -TERM 0')).toEqual({ kind: 'signal', signal: 'SIGTERM' });
    expect(await endingOf('trap "exit 3" TERM; kill -TERM 0')).toEqual({ kind: 'exit', exitCode: 3 });
    // Whoever kills what would tell of it has ended itself by that.
    expect(await endingOf('kill -KILL $PPID')).toEqual({ kind: 'signal', signal: 'SIGKILL' });
  });
});
