import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A `git` that never ends: deaf to TERM, with a child that has left its session. */
export interface HangingGit {
  /** Folder to put first in PATH. */
  readonly bin: string;
  /** Resolves when both of its processes run. */
  started(): Promise<void>;
}

/** Below `folder`, which the caller removes. */
export function createHangingGit(folder: string): HangingGit {
  const bin = join(folder, 'bin');
  const up = join(folder, 'up');
  mkdirSync(bin);
  execFileSync('mkfifo', [up]);
  const loop = 'trap "" TERM; while :; do sleep 0.1; done';
  const child = `setsid sh -c 'echo up > "${up}"; ${loop}'`;
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n${child} &\n${loop}\n`, { mode: 0o755 });
  return {
    bin,
    // The reader of a named pipe waits for its writer.
    started: async () => void (await readFile(up)),
  };
}
