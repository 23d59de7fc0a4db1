import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom, silentLogger } from '@writ/core';
import { type ControlClient, createControlClient } from '@writ/gateway/client';
import { createIdentity } from '@writ/identity';
import { stockConfig } from '@writ/policy';
import { readEnvironment } from '../env.ts';
import { type Home, resolveHome } from '../home.ts';
import { composeNode, type RunningNode } from '../node/compose.ts';
import { IDLE_THREAD } from './idle-thread.ts';

type CommandThread = Parameters<typeof composeNode>[0]['commandThread'];

/** A whole node inside the process of a test, in a home of its own. */
export interface ComposedNode {
  readonly home: Home;
  readonly running: RunningNode;
  readonly control: ControlClient;
  /** This start's. */
  readonly hostToken: string;
  /** Stops it and starts it again on the same home, after `between` where that is given, with another thread for commands where one is. */
  restart(between?: () => Promise<void>, thread?: CommandThread): Promise<void>;
  /** Stops it and takes its home away. */
  remove(): Promise<void>;
}

/** Starts one; `more` goes in front of the stock configuration's second table. */
export async function startComposedNode(more = ''): Promise<ComposedNode> {
  const home = resolveHome(readEnvironment(), mkdtempSync(join(tmpdir(), 'wn-')));
  await createIdentity({ dir: home.keysDir, clock: createSystemClock(), random: createSystemRandom() });
  const text = stockConfig({ nodeName: 'solo', listen: '127.0.0.1:0', workspaces: [], isolation: 'none' });
  writeFileSync(home.configFile, `${text}\n${more}`, { mode: 0o600 });
  let running = await start(home);
  const hostToken = (): string => readFileSync(home.tokenFile, 'utf8').trim();
  return {
    home,
    get running() {
      return running;
    },
    get control() {
      return createControlClient({ socketPath: home.socketFile, token: hostToken() });
    },
    get hostToken() {
      return hostToken();
    },
    async restart(between, thread) {
      await running.close(0);
      await between?.();
      running = await start(home, thread);
    },
    async remove() {
      await running.close(0);
      rmSync(home.root, { recursive: true, force: true });
    },
  };
}

function start(home: Home, commandThread: CommandThread = IDLE_THREAD): Promise<RunningNode> {
  return composeNode({
    home,
    environment: readEnvironment(),
    logger: silentLogger,
    // The files of the grammar stand beside the built program only, and nothing is classified here.
    loadGrammar: async () => ({ parse: () => ({ ok: false, reason: 'no grammar' }) }),
    commandThread,
    // Nor is any process started.
    spawner: new URL('./spawner.js', import.meta.url),
    programs: [],
    requestStop: () => undefined,
  });
}
