import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunSpec } from '../types.ts';
import { createHarness, type Finished, type Harness } from './harness.ts';

/** A harness whose runs are all in a sandbox. */
export interface Sandboxed extends Harness {
  /** Runs a shell script with a workspace that holds `file`, confined to what is given. */
  script(text: string, reach?: Partial<RunSpec['reach']>, over?: Partial<RunSpec>): Promise<Finished>;
  /** Absolute path below the harness's folder, which belongs to the node; made, with a file `secret` in it. */
  readonly nodeHome: string;
  /** The repository that the workspace is cloned from. */
  readonly repository: string;
}

/** What a run may reach where a test does not say more. */
export const NOTHING: RunSpec['reach'] = {
  workspace: 'none',
  scratch: false,
  readPaths: [],
  network: 'deny',
  secrets: [],
};

export async function createSandboxed(over: Parameters<typeof createHarness>[0] = {}): Promise<Sandboxed> {
  const harness = await createHarness(over);
  const repository = join(harness.folder, 'repository');
  const nodeHome = join(harness.folder, 'keys');
  for (const folder of [repository, nodeHome]) mkdirSync(folder);
  writeFileSync(join(nodeHome, 'secret'), 'of the node\n');
  writeFileSync(join(repository, 'file'), 'of the workspace\n');
  const git = (...args: string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
      cwd: repository,
      stdio: 'ignore',
    });
  git('init');
  git('add', 'file');
  git('commit', '-m', 'one');
  return {
    ...harness,
    nodeHome,
    repository,
    script: (text, reach = {}, over = {}) =>
      harness.run(['sh', '-c', text], {
        isolation: 'required',
        reach: { ...NOTHING, ...reach },
        workspace: { name: 'app', path: repository },
        ...over,
      }),
  };
}
