import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMPLETION_SCRIPTS, SHELLS, type Shell } from './scripts.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-sh-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

/** Stands in for `writ`: writes down what it was asked, and answers. */
function answering(lines: readonly string[], status = 0): void {
  const program = `#!/bin/sh\nprintf '%s\\n' "$@" > ${dir}/asked\ncat ${dir}/answer\nexit ${status}\n`;
  writeFileSync(join(dir, 'answer'), lines.map((line) => `${line}\n`).join(''));
  writeFileSync(join(dir, 'writ'), program);
  chmodSync(join(dir, 'writ'), 0o755);
}

const asked = (): string[] => readFileSync(join(dir, 'asked'), 'utf8').split('\n').slice(0, -1);

/** How each shell is made to complete the words, and prints what it would offer, one a line. */
const DRIVERS: Readonly<Record<Shell, (words: readonly string[], script: string) => readonly string[]>> = {
  bash: (words, script) => [
    '--norc',
    '-c',
    `source ${script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _writ; printf '%s\\n' "\${COMPREPLY[@]}"`,
    'bash',
    ...words,
  ],
  // What the shell's own functions are given is what it would offer.
  zsh: (words, script) => [
    '-f',
    '-c',
    `compdef() { : }; _files() { print -l PATHS }; _describe() { print -l "\${(@P)4}" };
     source ${script}; words=("$@"); CURRENT=$#; _writ`,
    'zsh',
    ...words,
  ],
  fish: (words, script) => ['--no-config', '-c', `source ${script}; complete -C '${words.join(' ')}'`],
};

function complete(shell: Shell, ...words: string[]): readonly string[] {
  const script = join(dir, `script.${shell}`);
  writeFileSync(script, COMPLETION_SCRIPTS[shell]);
  const env = { PATH: `${dir}:/usr/bin:/bin`, HOME: dir };
  const done = spawnSync(shell, DRIVERS[shell](words, script), { encoding: 'utf8', env, cwd: dir });
  expect(done.stderr).toBe('');
  return done.stdout.split('\n').filter((line) => line !== '');
}

const isThere = (shell: Shell): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

describe.each(SHELLS.filter(isThere))('%s', (shell) => {
  it('asks with what was typed, and offers what comes back', () => {
    answering(['beta\tup', 'be:ga\tidle']);
    const offered = complete(shell, 'writ', 'peer', 'show', 'be');
    expect(asked()).toEqual(['complete', '--', 'peer', 'show', 'be']);
    expect(
      offered.map((line) =>
        line
          .split('\t')[0]
          ?.replace(/:(up|idle)$/, '')
          .replaceAll('\\', ''),
      ),
    ).toEqual(expect.arrayContaining(['beta', 'be:ga']));
  });

  it('asks with an empty word where none is begun', () => {
    answering(['list\tthe peers of this node']);
    expect(complete(shell, 'writ', 'peer', '').join('\n')).toContain('list');
    expect(asked()).toEqual(['complete', '--', 'peer', '']);
  });

  it('offers nothing, and says nothing, where writ fails', () => {
    answering([], 6);
    expect(complete(shell, 'writ', 'peer', 'show', 'be')).toEqual([]);
  });

  it('runs nothing that a name says', () => {
    answering(['$(touch>evil)\tx', '`touch\tevil`']);
    complete(shell, 'writ', 'peer', 'show', '');
    expect(existsSync(join(dir, 'evil'))).toBe(false);
  });
});

it('bash is among the shells that were tried', () => {
  expect(isThere('bash')).toBe(true);
});
