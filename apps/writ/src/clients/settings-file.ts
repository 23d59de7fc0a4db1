import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { quote, type Random, replaceIfSame, replacePrivateFile, WritError } from '@writ/core';

/** Longest settings that are edited, bytes; Claude Code keeps its history in the same file. */
const LARGEST_BYTES = 64 * 1024 * 1024;

/** Settings of somebody else's program, as they were found. */
export interface FoundSettings {
  /** The file itself, behind every symbolic link. */
  readonly path: string;
  /** Undefined where there is no file. */
  readonly text: string | undefined;
}

/** Where the copy from before this program's edit is kept. */
export function backupOf(path: string): string {
  return `${path}.before-writ`;
}

/** Reads a file of settings. Throws CONFIG_INVALID where it is no text file of a size that settings have. */
export async function readSettings(path: string): Promise<FoundSettings> {
  const real = realPath(path);
  const stats = statSync(real, { throwIfNoEntry: false });
  if (stats === undefined) return { path: real, text: undefined };
  if (!stats.isFile() || stats.size > LARGEST_BYTES) throw unusable(path, 'is no file of settings');
  try {
    return {
      path: real,
      text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(real)),
    };
  } catch (cause) {
    throw unusable(path, `cannot be read: ${(cause as Error).message}`, cause);
  }
}

/**
 * Puts `text` in the place of what was found, in one step; `undefined` takes the file away. With `keepBefore` the old
 * text is kept beside it. Throws CONFLICT where the file may not be written, belongs to another user, or is another one by now.
 */
export async function replaceSettings(
  found: FoundSettings,
  text: string | undefined,
  options: { readonly keepBefore: boolean; readonly random: Random },
): Promise<void> {
  const { path } = found;
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && (stats.mode & 0o200) === 0) throw refused(path, 'is read-only');
  // What takes its place would be this user's, and closed to its owner, as under `sudo`.
  if (stats !== undefined && stats.uid !== (process.geteuid?.() ?? stats.uid))
    throw refused(path, 'belongs to another user');
  const mode = stats === undefined ? 0o600 : stats.mode & 0o777;
  try {
    if (stats === undefined) await mkdir(dirname(path), { recursive: true });
    if (options.keepBefore && found.text !== undefined)
      await replacePrivateFile(backupOf(path), found.text, options.random);
    // A program that saved its settings meanwhile must not lose what it saved.
    const isReplaced = await replaceIfSame(path, { before: found.text, after: text, mode }, options.random);
    if (!isReplaced) throw refused(path, 'was changed by somebody else meanwhile');
  } catch (cause) {
    if (cause instanceof WritError) throw cause;
    throw refused(path, `cannot be written: ${(cause as Error).message}`, cause);
  }
}

/** A link is followed, so that settings which live elsewhere stay there. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw unusable(path, 'is a link that leads nowhere');
  return path;
}

function unusable(path: string, why: string, cause?: unknown): WritError {
  return new WritError('CONFIG_INVALID', `${quote(path)} ${why}`, { nextSteps: ['mend or move the file'], cause });
}

function refused(path: string, why: string, cause?: unknown): WritError {
  return new WritError('CONFLICT', `${quote(path)} ${why}`, {
    nextSteps: ['put it in by hand; --print shows what'],
    cause,
  });
}
