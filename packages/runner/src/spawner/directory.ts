import { closeSync, constants, existsSync, fstatSync, openSync } from 'node:fs';
import { DIRECTORY_CHANGED, type StartOrder } from './frames.ts';

/** A working directory as a process is given it. */
export interface OpenedDirectory {
  readonly path: string;
  close(): void;
}

/**
 * The directory of a start. One that has to be a certain one is opened, compared, and handed on as what was opened: what
 * is put in its place afterwards is not followed. Throws where it is another one.
 */
export function openDirectory({ cwd, directory }: Pick<StartOrder, 'cwd' | 'directory'>): OpenedDirectory {
  if (directory === undefined) return { path: cwd, close: () => undefined };
  const fd = open(cwd);
  const found = fstatSync(fd, { bigint: true });
  const { dev, ino, birthtimeNs } = found;
  // The number of one that was removed goes to the next that is made.
  const isOther = String(dev) !== directory.device || String(ino) !== directory.inode;
  if (isOther || String(birthtimeNs) !== directory.born) {
    closeSync(fd);
    throw changed();
  }
  // The child goes there before its program replaces it, while it still has what its parent has open.
  const opened = `/proc/self/fd/${fd}`;
  return { path: existsSync(opened) ? opened : cwd, close: () => closeSync(fd) };
}

function open(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (cause) {
    throw changed(cause);
  }
}

function changed(cause?: unknown): Error {
  return Object.assign(new Error('it is another directory', { cause }), { code: DIRECTORY_CHANGED });
}
