import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Logger, type Random, sha256Hex, WritError } from '@writ/core';
import type { TaskDoors } from '@writ/delegation';
import type { Gateway } from '@writ/gateway';
import type { TokenStore } from '@writ/lease-store';

/** Random bytes of a token: 256 bits. */
const TOKEN_BYTES = 32;
/** Random bytes of a folder's name; a socket address holds little, and a task id says too much. */
const FOLDER_BYTES = 4;

/** The doors of a node; the gateway that serves them is made later than the executor that opens them. */
export interface NodeTaskDoors extends TaskDoors {
  bind(gateway: Pick<Gateway, 'listenTask'>): void;
}

/** What the doors are made of. */
export interface TaskDoorsOptions {
  /** Folder of the folders of all tasks; what an earlier boot left in it is removed before the first door opens. */
  readonly dir: string;
  readonly tokens: TokenStore;
  readonly random: Random;
  readonly logger: Logger;
}

/** A token and a socket for each task that may hand work on, or ask; both die with it. */
export function createTaskDoors(options: TaskDoorsOptions): NodeTaskDoors {
  const { dir, tokens, random, logger } = options;
  const open = new Map<string, () => Promise<void>>();
  const cleared = rm(dir, { recursive: true, force: true });
  // Whoever opens a door hears of it.
  cleared.catch(() => undefined);
  let gateway: Pick<Gateway, 'listenTask'> | undefined;
  const shut = async (task: string): Promise<void> => {
    const close = open.get(task);
    open.delete(task);
    await close?.();
  };
  return {
    bind(bound) {
      gateway = bound;
    },
    issue(tx, { id: task, origin, session }) {
      // INVARIANT: 7 a context without a session is refused, not defaulted.
      if (session === '') throw new WritError('TOKEN_INVALID', 'a task without a session gets no token');
      const token = `wtt_${Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url')}`;
      tokens.put(tx, sha256Hex(token), { kind: 'task', task, origin, session });
      tx.audit({ kind: 'token', action: 'token.task.issued', actor: 'node', subject: task });
      return token;
    },
    async open(task) {
      if (gateway === undefined) throw new WritError('INTERNAL', 'no gateway serves the sockets of tasks');
      await cleared;
      const folder = join(dir, Buffer.from(random.bytes(FOLDER_BYTES)).toString('hex'));
      const path = join(folder, 's');
      const close = await gateway.listenTask(task, path);
      open.set(task, async () => {
        await close();
        await rm(dirname(path), { recursive: true, force: true });
      });
      return path;
    },
    drop(tx, task) {
      tokens.dropTask(tx, task);
      tx.afterCommit(() => {
        shut(task).catch((error: unknown) =>
          logger.error('the socket of a task was not removed', { task, error: String(error) }),
        );
      });
    },
  };
}
