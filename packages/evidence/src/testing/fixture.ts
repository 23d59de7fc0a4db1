import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createSystemClock, createSystemRandom } from '@writ/core';
import { createContentStore } from '../content-store.ts';
import { createGitProcess } from '../git-process.ts';
import { type ReadOwnersWords, readOwnersWords } from '../read-words.ts';
import type { RepositoryGuard } from '../repository-guard.ts';
import type { BundleLimits, CollectLimits, CollectRequest, ContentStore, GitWork } from '../types.ts';

export const LIMITS: CollectLimits = {
  maxEntries: 10_000,
  maxChangedFiles: 1000,
  maxFileBytes: 10_000_000,
  maxTotalBytes: 50_000_000,
  maxPatchBytes: 10_000_000,
  maxBundleBytes: 10_000_000,
  timeoutMs: 60_000,
};

export const BUNDLE_LIMITS: BundleLimits = {
  maxBundleBytes: 10_000_000,
  maxObjects: 10_000,
  maxObjectBytes: 10_000_000,
  maxUnpackedBytes: 50_000_000,
  maxFiles: 10_000,
  timeoutMs: 60_000,
};

export const NODE_ID = `wn-${'a'.repeat(36)}`;
export const TASK = '0198a000-0000-7000-8000-000000000001';
/** 2025-09-01T00:00:00Z. */
const NOW_MS = 1_756_684_800_000;

/** A folder with an owner's repository and a task's clone of it, and the means to collect from it. */
export interface Fixture {
  readonly root: string;
  readonly owner: string;
  readonly work: string;
  readonly store: ContentStore;
  readonly gitWork: GitWork;
  /** Reads what the owner has told git: `root` is the owner's home, and `system-attributes` in it those of the machine. */
  readonly words: ReadOwnersWords;
  /** Lets every repository of this user be named. */
  readonly guard: RepositoryGuard;
  /** Runs git as the owner or the agent would. */
  git(cwd: string, ...args: string[]): string;
  /** Writes files, making folders. */
  write(cwd: string, files: Readonly<Record<string, string | Uint8Array>>): void;
  /** Commits everything in `cwd`, ignored files not, and gives the id. */
  commit(cwd: string, message?: string): string;
  /** Makes `work`, or a folder beside it, from `owner`. */
  clone(name?: string): void;
  request(base: string | undefined, more?: Partial<CollectRequest>): CollectRequest;
  remove(): void;
}

/** `from`: a copy of everything in another one, instead of an empty repository. */
export function createFixture({ from }: { readonly from?: Pick<Fixture, 'root'> } = {}): Fixture {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'writ-evidence-')));
  const [owner, work] = [join(root, 'owner'), join(root, 'work')];
  const random = createSystemRandom();
  const clock = { ...createSystemClock(), nowMs: () => NOW_MS };
  const path = process.env.PATH ?? '/usr/bin:/bin';
  const store = createContentStore({ dir: join(root, 'store'), random });
  const gitProcess = createGitProcess({ git: 'git', clock });
  const { platform } = process;
  const gitWork = {
    git: gitProcess,
    openRoom: undefined,
    gitDirRoot: join(root, 'git'),
    platform,
    path,
    clock,
    random,
  };
  const variables = { PATH: path, HOME: root, GIT_CONFIG_NOSYSTEM: '1' };
  const systemAttributes = join(root, 'system-attributes');
  const environment = { variables, configHome: join(root, '.config'), systemAttributes };
  const env = {
    ...variables,
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.org',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.org',
    GIT_AUTHOR_DATE: '1700000000 +0000',
    GIT_COMMITTER_DATE: '1700000000 +0000',
  };
  const git = (cwd: string, ...args: string[]): string =>
    execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  if (from === undefined) {
    mkdirSync(owner);
    git(owner, 'init', '--quiet', '--initial-branch=main');
  } else cpSync(from.root, root, { recursive: true });
  const fixture: Fixture = {
    root,
    owner,
    work,
    store,
    gitWork,
    words: (asked) => readOwnersWords(gitProcess, environment, asked),
    guard: { user: process.geteuid?.(), closed: [], named: () => [] },
    git,
    write(cwd, files) {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(cwd, name)), { recursive: true });
        writeFileSync(join(cwd, name), content);
      }
    },
    commit(cwd, message = 'work') {
      git(cwd, 'add', '--all');
      git(cwd, 'commit', '--quiet', '--allow-empty', '-m', message);
      return git(cwd, 'rev-parse', 'HEAD');
    },
    clone(name = 'work') {
      git(root, 'clone', '--quiet', '--no-hardlinks', owner, join(root, name));
    },
    request: (base, more = {}) => ({
      ...gitWork,
      workspaceDir: work,
      base,
      ...(base === undefined ? {} : { baseRepository: owner }),
      nodeId: NODE_ID,
      task: TASK,
      store,
      limits: LIMITS,
      ...more,
    }),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
  return fixture;
}
