import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { quote, type WritCode, WritError } from '@writ/core';
import { formatAlternates } from './alternates.ts';
import { unseenBy } from './git-warnings.ts';
import { locateRepository } from './repository-place.ts';
import { openRoomFor } from './room.ts';
import type { GitCall, GitRoom, GitStep, GitWork } from './types.ts';

/** Bytes that a call may answer with where nothing else is said. */
const ANSWER_BYTES = 64 * 1024 * 1024;
const NAME_BYTES = 16;

/**
 * Attributes above everything that a tree says about itself (`info/attributes` is asked first): content goes in and is
 * shown byte for byte. No filter, no end-of-line or encoding conversion, no keyword, no diff or merge driver.
 */
const RAW_ATTRIBUTES =
  '* -text -eol -crlf -ident -filter -working-tree-encoding !diff !merge !conflict-marker-size -whitespace\n';

/** Settings of a git directory of the node's; nothing else is read. Git runs in no other one. */
const CONFIG = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'protocol.allow=never',
  'protocol.file.allow=always',
  'commit.gpgSign=false',
  'core.untrackedCache=false',
  'core.splitIndex=false',
  // One entry after the other, in their order: an index can say where threads should begin.
  'index.threads=1',
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'core.fileMode=true',
  'core.symlinks=true',
  'core.ignoreCase=false',
  'core.precomposeUnicode=false',
  'core.protectNTFS=true',
  'core.protectHFS=true',
  'core.autocrlf=false',
  'core.eol=lf',
  'core.safecrlf=false',
  'core.quotePath=true',
  'core.abbrev=no',
  'core.bigFileThreshold=64m',
  'core.logAllRefUpdates=false',
  'diff.renames=false',
  'pack.threads=1',
];

const OWN_SETTINGS: readonly string[] = CONFIG.flatMap((setting) => ['-c', setting]);

/** A git directory of the node's own, and how git is run in it. */
export interface GitDir {
  readonly dir: string;
  readonly objectFormat: 'sha1' | 'sha256';
  /** An empty folder beside it. */
  readonly scratch: string;
  /** Standard output of git, or the error of this work naming the step. */
  run(step: GitStep, args: readonly string[], more?: RunOptions): Promise<Buffer>;
  /** Like `run`, but with the exit code; other codes than these are failures. */
  ask(step: GitStep, codes: readonly number[], args: readonly string[], more?: RunOptions): Promise<GitReply>;
  /** A failure of this work, and what mends it where that is known. */
  fail(step: GitStep, why: string, nextSteps?: readonly string[]): WritError;
  remove(): Promise<void>;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: Uint8Array;
  readonly inputFile?: string;
  readonly cwd?: string;
  readonly maxOutputBytes?: number;
  /** Fails where git says that there is something which it did not look at. */
  readonly isWhole?: boolean;
}

/** How git is told to look at the workspace with the node's own index. */
export interface InTree {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

interface GitReply {
  readonly exitCode: number;
  readonly stdout: Buffer;
}

export interface GitDirOptions extends GitWork {
  /** Code of the error that every failing step becomes, and the words that its message begins with. */
  readonly code: WritCode;
  readonly what: string;
  readonly timeoutMs: number;
  readonly objectFormat: 'sha1' | 'sha256';
  /** Repositories of the node's (or its owner's) whose objects are used besides. */
  readonly borrowFrom: readonly string[];
  /** Options of git over the node's own: about how files lie on the disk, and nothing that runs something. */
  readonly form?: readonly string[];
  /** Absolute, real folders of others that are looked at: git runs in a room that shows them, where there is one. */
  readonly looksAt?: readonly string[];
}

/** The environment of every call of git: nothing of the node's, nothing of the owner's, nothing of the agent's. */
export function gitEnvironment(path: string, home: string): Record<string, string> {
  return {
    PATH: path,
    HOME: home,
    TMPDIR: home,
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_ALLOW_PROTOCOL: 'file',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    GIT_EDITOR: 'false',
    GIT_PAGER: 'cat',
  };
}

/** Makes a fresh git directory with an unpredictable name. Throws `code` where a step fails, nothing left. */
export async function createGitDir(options: GitDirOptions): Promise<GitDir> {
  await mkdir(options.gitDirRoot, { recursive: true, mode: 0o700 });
  const folder = join(options.gitDirRoot, `git-${Buffer.from(options.random.bytes(NAME_BYTES)).toString('hex')}`);
  const dir = join(folder, 'repository');
  const scratch = join(folder, 'scratch');
  await mkdir(folder, { mode: 0o700 });
  const untilMs = options.clock.monotonicMs() + options.timeoutMs;
  const fail: GitDir['fail'] = (step, why, nextSteps = []) =>
    new WritError(options.code, `${options.what}: step \`${step}\`: ${why}`, { details: { step }, nextSteps });

  let room: GitRoom | undefined;
  const ask: GitDir['ask'] = async (step, codes, args, more = {}) => {
    const call: GitCall = {
      step,
      args: [...OWN_SETTINGS, ...(options.form ?? []), ...args],
      cwd: more.cwd ?? scratch,
      env: {
        ...gitEnvironment(options.path, scratch),
        GIT_DIR: dir,
        ...more.env,
      },
      timeoutMs: Math.max(1, untilMs - options.clock.monotonicMs()),
      maxOutputBytes: more.maxOutputBytes ?? ANSWER_BYTES,
      ...(more.input === undefined ? {} : { input: more.input }),
      ...(more.inputFile === undefined ? {} : { inputFile: more.inputFile }),
    };
    const answer = await (room?.git ?? options.git)(call);
    if (answer.exitCode === null || !codes.includes(answer.exitCode)) {
      throw fail(step, answer.reason || `git ended with ${answer.exitCode}`);
    }
    // INVARIANT: 10 what git has not seen is not unchanged.
    const unseen = more.isWhole ? unseenBy(answer.reason) : undefined;
    if (unseen !== undefined) throw fail(step, unseen);
    return { exitCode: answer.exitCode, stdout: Buffer.from(answer.stdout) };
  };
  const run: GitDir['run'] = async (step, args, more) => (await ask(step, [0], args, more)).stdout;
  const remove = async (): Promise<void> => {
    await room?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };

  try {
    await mkdir(scratch, { mode: 0o700 });
    const borrowed = await Promise.all(options.borrowFrom.map((path) => objectsOf(path, fail)));
    room = await openRoomFor(options, folder, borrowed);
    await run('init', ['init', '--quiet', '--bare', '--template=', `--object-format=${options.objectFormat}`, dir]);
    await Promise.all(['info', 'objects/info'].map((name) => mkdir(join(dir, name), { recursive: true, mode: 0o700 })));
    await writeFile(join(dir, 'info', 'attributes'), RAW_ATTRIBUTES, { mode: 0o600 });
    // A file and not the environment: git forgets the latter where it talks to this directory from another repository.
    if (borrowed.length > 0) await writeFile(join(dir, 'objects/info/alternates'), formatAlternates(borrowed));
  } catch (error) {
    await remove();
    throw error;
  }
  return { dir, objectFormat: options.objectFormat, scratch, run, ask, fail, remove };
}

/** The object directory of a repository, found without running anything there. */
async function objectsOf(repository: string, fail: GitDir['fail']): Promise<string> {
  const place = await locateRepository(repository);
  if (place === undefined) throw fail('init', `${quote(repository)} is no repository`);
  return place.objects;
}
