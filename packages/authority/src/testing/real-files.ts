import { createHash } from 'node:crypto';
import { constants, createReadStream, createWriteStream } from 'node:fs';
import { access, readFile, realpath, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ActionFiles, PathFact } from '../actions/types.ts';

/** The real file system; private copies go into `dir`. `held` counts those that were not released. */
export function createRealFiles(dir: string): ActionFiles & { held(): number } {
  let made = 0;
  let held = 0;
  return {
    held: () => held,
    async inspect(path): Promise<PathFact | undefined> {
      const found = await stat(path, { bigint: true }).catch(() => undefined);
      if (found === undefined) return undefined;
      return {
        kind: found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other',
        realPath: await realpath(path),
        device: String(found.dev),
        inode: String(found.ino),
        born: String(found.birthtimeNs),
        sizeBytes: Number(found.size),
        isExecutable: await access(path, constants.X_OK).then(
          () => true,
          () => false,
        ),
      };
    },
    async hold(path, mostBytes) {
      made += 1;
      const heldPath = join(dir, String(made));
      const hash = createHash('sha256');
      let sizeBytes = 0;
      // Hashed on the way into the copy, so that the copy is what was hashed.
      await pipeline(
        createReadStream(path),
        async function* (chunks: AsyncIterable<Buffer>) {
          for await (const chunk of chunks) {
            sizeBytes += chunk.length;
            hash.update(chunk);
            yield chunk;
          }
        },
        createWriteStream(heldPath, { mode: 0o700 }),
      );
      const release = async (): Promise<void> => {
        held -= 1;
        await rm(heldPath);
      };
      held += 1;
      const [, interpreter, argument] = /^#!(\S+)(?: (.+))?\n/.exec(await readFile(heldPath, 'latin1')) ?? [];
      const named =
        interpreter === undefined ? {} : { interpreter: { path: interpreter, ...(argument && { argument }) } };
      if (sizeBytes <= mostBytes)
        return {
          ...{ sha256: hash.digest('hex'), sizeBytes, heldPath, isCopy: true, leavesPlace: true },
          ...{ ...named, release },
        };
      await release();
      return undefined;
    },
  };
}
