import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Files and folders of this program and of the Node.js that runs it, absolute: a task that talks to its node starts `writ`,
 * wherever that is installed. `bundle` is the folder of the built program.
 */
export function ownPrograms(bundle: URL): readonly string[] {
  const own = [new URL('.', bundle), new URL('../bin/', bundle), new URL('../package.json', bundle)];
  const node = realpathSync(process.execPath);
  const folder = dirname(node);
  // `bin/node` needs what lies beside `bin`; a single file is shown alone.
  return [...own.map((url) => fileURLToPath(url)), basename(folder) === 'bin' ? dirname(folder) : node];
}
