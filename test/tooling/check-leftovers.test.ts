import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runScript } from './script.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'writ-left-'));
  execFileSync('git', ['init', '-q', folder]);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const watched = (command: string) => runScript('check-leftovers', ['--in', folder, '--', 'sh', '-c', command]);
const isAlive = (pid: string): boolean =>
  existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

describe('the check for leftovers', () => {
  it('is content with a command that tidies up', () => {
    expect(watched('touch "$TMPDIR/x" && rm "$TMPDIR/x"')).toMatchObject({ status: 0 });
  });

  it("keeps the command's own status", () => {
    expect(watched('exit 3')).toMatchObject({ status: 3 });
  });

  it('finds and ends a process that left its session', () => {
    const run = watched(`setsid sleep 600 >/dev/null 2>&1 & echo $! >${folder}/.git/pid`);
    const pid = readFileSync(join(folder, '.git/pid'), 'utf8').trim();
    expect(run.status).toBe(1);
    expect(run.output).toContain('sleep 600');
    expect(isAlive(pid)).toBe(false);
  });

  it('finds a file in the temporary folder and removes it', () => {
    const run = watched(`echo "$TMPDIR" >${folder}/.git/temporary && touch "$TMPDIR/socket-of-somebody"`);
    expect(run.status).toBe(1);
    expect(run.output).toContain('socket-of-somebody');
    expect(existsSync(readFileSync(join(folder, '.git/temporary'), 'utf8').trim())).toBe(false);
  });

  it('finds a file that appeared in the clone', () => {
    const run = watched(`touch ${folder}/stray`);
    expect(run.status).toBe(1);
    expect(run.output).toContain('stray');
  });
});
