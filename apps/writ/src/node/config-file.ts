import { existsSync, type FSWatcher, readFileSync, watch } from 'node:fs';
import { basename } from 'node:path';
import { type Cancel, type Clock, type Logger, Mutex, type Random, replacePrivateFile, WritError } from '@writ/core';
import type { ConfigFile } from '@writ/pairing';
import type { PolicyEngine, ReloadOutcome } from '@writ/policy';

/** Rests this long after a change on disk before it is read, milliseconds: an editor writes in several steps. */
const DEBOUNCE_MS = 5;

export interface ConfigFileOptions {
  readonly path: string;
  readonly engine: PolicyEngine;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Told after every reload that changed something; stores what a person accepted. */
  readonly onReload: (text: string, outcome: ReloadOutcome, how: 'watcher' | 'command' | 'edit') => void;
}

/** The node's `writ.toml`: the one place that reads, writes and watches it. */
export interface NodeConfigFile extends ConfigFile {
  /** Reads the file and swaps the policy in place. */
  reload(options: { readonly accept: boolean }): Promise<ReloadOutcome>;
  close(): void;
}

export function createConfigFile(options: ConfigFileOptions): NodeConfigFile {
  const { path, engine, logger } = options;
  const mutex = new Mutex();
  let lastText = readFileSync(path, 'utf8');

  async function reloadText(
    text: string,
    accept: boolean,
    how: 'watcher' | 'command' | 'edit',
  ): Promise<ReloadOutcome> {
    const outcome = await engine.reload(text, { acceptWidening: accept });
    lastText = text;
    options.onReload(text, outcome, how);
    if (outcome.reloaded) logger.info('policy reloaded', { generation: outcome.generation, how });
    else
      logger.warn('policy not reloaded', {
        generation: outcome.generation,
        how,
        violations: outcome.violations?.length,
      });
    return outcome;
  }

  /** A person says yes to their own change alone: whatever else the file holds must be in force before it. */
  async function settleBeforeEdit(text: string): Promise<void> {
    if (text !== lastText) await reloadText(text, false, 'watcher');
    const { parked, lastError } = engine.status();
    if (lastError !== undefined) {
      throw new WritError('CONFIG_INVALID', 'writ.toml does not load as it stands, so nothing is added to it', {
        nextSteps: ['writ policy status'],
      });
    }
    if (parked !== undefined && parked.length > 0) {
      throw new WritError('CONFLICT', 'writ.toml holds changes that give somebody more and wait for a yes', {
        nextSteps: ['writ policy status', 'writ policy reload --accept'],
      });
    }
  }

  const stopWatching = watchFile(options, () =>
    mutex.runExclusive(async () => {
      const text = readText(path);
      if (text !== lastText) await reloadText(text, false, 'watcher');
    }),
  );

  return {
    read: async () => readText(path),
    reload: ({ accept }) => mutex.runExclusive(() => reloadText(readText(path), accept, 'command')),
    edit: (change) =>
      mutex.runExclusive(async () => {
        const before = readText(path);
        await settleBeforeEdit(before);
        const text = change(before);
        // Only a text that loads is written: a person finds the file as it was, or as it was meant.
        const outcome = await reloadText(text, true, 'edit');
        if (!outcome.reloaded) {
          const [first] = outcome.violations ?? [];
          throw new WritError('CONFIG_INVALID', `the change does not load: ${first?.path}: ${first?.message}`, {
            nextSteps: ['writ policy validate'],
          });
        }
        await replacePrivateFile(path, text, options.random);
        return { generation: outcome.generation };
      }),
    close: stopWatching,
  };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new WritError('CONFIG_INVALID', `cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** Watches the folder, because an atomic rename replaces the file that a watch would be on. */
function watchFile(options: ConfigFileOptions, changed: () => Promise<void>): () => void {
  const { path, clock, logger } = options;
  const name = basename(path);
  let timer: Cancel | undefined;
  const look = (): void => {
    timer?.();
    timer = clock.setTimer(DEBOUNCE_MS, () => {
      changed().catch((error: unknown) =>
        logger.error('configuration cannot be read', { reason: (error as Error).message }),
      );
    });
  };
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(path.slice(0, -name.length), { persistent: false }, (_, file) => {
      if (file === null || file === name) look();
    });
    watcher.on('error', (error) => logger.error('configuration is not watched any more', { reason: error.message }));
  } catch (error) {
    logger.error('configuration is not watched', { reason: (error as Error).message, exists: existsSync(path) });
  }
  return () => {
    timer?.();
    watcher?.close();
  };
}
