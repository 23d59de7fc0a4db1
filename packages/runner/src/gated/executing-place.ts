import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasErrno } from '@writ/core';

/** How long that may take, milliseconds: what is looked for is told at once. */
const PATIENCE_MS = 1000;

/** Whether programs that lie in a folder can be run: not on a file system that is mounted `noexec`. Writes a file into it. The one fork of a node’s own process, at its start, while it is small and serves nobody. */
export function executesIn(dir: string): boolean {
  const file = join(dir, 'program');
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o700 });
  const { error } = spawnSync(file, { stdio: 'ignore', env: {}, timeout: PATIENCE_MS });
  // Anything else is not about the place.
  return error === undefined || !hasErrno(error, 'EACCES');
}
