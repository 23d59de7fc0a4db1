import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from '@writ/core';
import { createControlClient } from '@writ/gateway/client';
import { loadServices } from '@writ/wire';
import { ask, type MeshPair, startMeshPair } from './mesh-pair.ts';
import { peerTables } from './policy-subjects.ts';
import { processTimes, threadTimes } from './thread-time.ts';

/** What a reload, or the machine alone, did to the calls of another process over mutual TLS, milliseconds. */
export interface NodeReload {
  /** Longest that one call took. */
  readonly waitMs: number;
  /** The same without what the node's thread and the caller's waited for a processor: what is left on a machine that does nothing else. */
  readonly ownMs: number;
  /** Most that the node's thread computed in one call. */
  readonly computedMs: number;
  readonly tookMs: number;
}

/** Between two calls, and between two looks into the node's log, milliseconds. */
const PAUSE_MS = 1;
const LOOK_MS = 20;
/** What listeners and the database still do when the line is in the log, milliseconds. */
const AFTER_MS = 300;
/** Something more, which waits, so that two policies are met; something else; as it was. All of the last peer. */
const CHANGES = ['max_depth = 1\n', 'max_depth = 2\n', ''] as const;

/** Lets a real node load so many peers again and again by its own watcher, while the other one calls it without a rest. */
export async function measureNodeReloads(
  folder: string,
  peers: number,
  reloads: number,
): Promise<{
  readonly reloads: readonly NodeReload[] /** The same without a reload, as long. */;
  readonly quiet: readonly NodeReload[];
}> {
  const pair = await startMeshPair(folder);
  try {
    const file = join(pair.home, 'writ.toml');
    const text = readFileSync(file, 'utf8') + peerTables(peers, { profiles: ['query', 'repo-dev'], workspaces: [] });
    await load(pair, text);
    await acceptAll(pair);
    const measured = { reloads: [] as NodeReload[], quiet: [] as NodeReload[] };
    for (let at = 0; at < reloads; at++) {
      const reload = await whileCalling(pair, () => load(pair, `${text}${CHANGES[at % CHANGES.length]}`));
      measured.reloads.push(reload);
      measured.quiet.push(await whileCalling(pair, () => sleep(reload.tookMs)));
    }
    return measured;
  } finally {
    await pair.close();
  }
}

/** Puts a text in place and waits until the node has loaded it. */
async function load({ home }: MeshPair, text: string): Promise<void> {
  const file = join(home, 'writ.toml');
  const before = loads(home);
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  while (loads(home) === before) await sleep(LOOK_MS);
  await sleep(AFTER_MS);
}

/** How often the node says that it has loaded its policy; throws where it says that it did not. */
function loads(home: string): number {
  const log = readFileSync(join(home, 'node.log'), 'utf8');
  if (log.includes('policy not reloaded')) throw new Error('the configuration of the bench does not load');
  return log.split('policy reloaded').length;
}

async function acceptAll({ home }: MeshPair): Promise<void> {
  const run = join(home, 'run');
  const token = readFileSync(join(run, 'host-token'), 'utf8').trim();
  const { reloaded } = await createControlClient({ socketPath: join(run, 'control.sock'), token }).call(
    'policy_reload',
    { accept: true },
  );
  if (!reloaded) throw new Error('the configuration of the bench is not accepted');
}

async function whileCalling({ client, pid }: MeshPair, work: () => Promise<void>): Promise<NodeReload> {
  const { health } = loadServices();
  let [waitMs, ownMs, computedMs] = [0, 0, 0];
  let isOver = false;
  const call = async (): Promise<void> => {
    while (!isOver) {
      const before = { at: performance.now(), mine: threadTimes(), theirs: processTimes(pid) };
      await ask(client, health.Check, { service: '' });
      const tookMs = performance.now() - before.at;
      const theirs = processTimes(pid);
      const waitedMs = threadTimes().waitedMs - before.mine.waitedMs + theirs.waitedMs - before.theirs.waitedMs;
      waitMs = Math.max(waitMs, tookMs);
      ownMs = Math.max(ownMs, tookMs - waitedMs);
      computedMs = Math.max(computedMs, theirs.computedMs - before.theirs.computedMs);
      await sleep(PAUSE_MS);
    }
  };
  const calling = call();
  const startedAt = performance.now();
  await work();
  const tookMs = performance.now() - startedAt;
  isOver = true;
  await calling;
  return { waitMs, ownMs, computedMs, tookMs };
}
