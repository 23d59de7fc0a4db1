import { fileURLToPath } from 'node:url';
import type { Home } from './home.ts';

/** The script that `writ` is, absolute: beside the folder of the bundle that this is part of. */
export function ownScript(): string {
  return fileURLToPath(new URL('../bin/writ.js', import.meta.url));
}

/** What another program starts to have `writ WORDS` for a home, whatever environment it starts it with. */
export function ownArgv(
  { named }: Pick<Home, 'named'>,
  words: readonly string[],
  script = ownScript(),
): readonly [string, ...string[]] {
  const argv: [string, ...string[]] = [process.execPath, script, ...words, ...named.options];
  return named.variables.length === 0 ? argv : ['/usr/bin/env', ...named.variables, ...argv];
}
