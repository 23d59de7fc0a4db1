import { rmSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type Random, sha256Hex, visible } from '@writ/core';
import { type GitCut, type GitEnd, runGit } from './git-process.ts';
import { MARKER } from './process-tree/members.ts';
import type { Spawner } from './spawned.ts';
import type { GitAnswer, GitCall } from './types.ts';

export interface GitCallsOptions {
  readonly spawner: Spawner;
  /** Absolute folder that these calls alone use, for what goes to standard input; made (0700) where it is missing. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Ends whatever git does. */
  readonly signal: AbortSignal;
}

/** Calls of git for the node itself, each a process tree of its own. */
export interface GitCalls {
  /** Never rejects. */
  run(call: GitCall): Promise<GitAnswer>;
  /** How the mark of every process of these calls begins, also of those of an earlier node with the same folder. */
  readonly noncePrefix: string;
  /** Resolves when no call is under way. */
  idle(): Promise<void>;
}

/** Why a git was ended, for a person. */
export const CUT_WORDS: Readonly<Record<GitCut, string>> = {
  late: 'it took too long',
  'too-much': 'it wrote too much',
  unwanted: 'it is not wanted any more',
};
const PREFIX_DIGITS = 16;
const NONCE_BYTES = 16;

export function createGitCalls(options: GitCallsOptions): GitCalls {
  const { spawner, folder, clock, random, signal } = options;
  const noncePrefix = `git-${sha256Hex(folder).slice(0, PREFIX_DIGITS)}-`;
  const underWay = new Set<Promise<unknown>>();
  // What a node that was killed left there.
  rmSync(folder, { recursive: true, force: true });
  const writeInput = async (name: string, input: Uint8Array): Promise<string> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, name);
    await writeFile(path, input, { mode: 0o600, flag: 'wx' });
    return path;
  };
  const start = async (call: GitCall): Promise<GitEnd> => {
    const nonce = `${noncePrefix}${Buffer.from(random.bytes(NONCE_BYTES)).toString('hex')}`;
    const { args, cwd, umask, input = new Uint8Array(), timeoutMs, maxOutputBytes } = call;
    const signals = [signal, call.signal].filter((one) => one !== undefined);
    const written = call.inputFile === undefined && input.length > 0 ? await writeInput(nonce, input) : undefined;
    const stdinFile = call.inputFile ?? written;
    const env = { ...call.env, [MARKER]: nonce };
    const how = { ...(stdinFile === undefined ? {} : { stdinFile }), ...(umask === undefined ? {} : { umask }) };
    const order = { argv: args, cwd, env, nonce, ...how };
    try {
      return await runGit({ order, timeoutMs, maxOutputBytes, signals }, spawner, clock);
    } finally {
      if (written !== undefined) await rm(written, { force: true });
    }
  };
  const answer = async (call: GitCall): Promise<GitAnswer> => {
    try {
      const { exitCode, stdout, cut, reason } = await start(call);
      return { exitCode, stdout, reason: cut === undefined ? reason : CUT_WORDS[cut] };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { exitCode: null, stdout: new Uint8Array(), reason: `git could not be started: ${visible(why)}` };
    }
  };
  return {
    noncePrefix,
    run(call) {
      const answering = answer(call).finally(() => underWay.delete(answering));
      underWay.add(answering);
      return answering;
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
