import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';

/** A path of `writ.toml` as an absolute one: `~` is the user's home, and a relative path starts at the file's folder. */
export function resolveConfigPath(path: string, configFile: string): string {
  if (path === '~') return homedir();
  if (path.startsWith('~/')) return resolve(homedir(), path.slice(2));
  return resolve(dirname(configFile), path);
}
