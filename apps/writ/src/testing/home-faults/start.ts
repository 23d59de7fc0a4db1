import { closeSync } from 'node:fs';
import { errorToJson, silentLogger, toWritError, type WritErrorJson } from '@writ/core';
import type { CliContext } from '../../cli/context.ts';
import { lookAtHome } from '../../cli/doctor/home.ts';
import type { Finding } from '../../cli/doctor/types.ts';
import { type Environment, readEnvironment } from '../../env.ts';
import { resolveHome } from '../../home.ts';
import { initNode } from '../../lifecycle/init-node.ts';
import { openLog } from '../../lifecycle/start-node.ts';
import { composeNode } from '../../node/compose.ts';
import { IDLE_THREAD } from '../idle-thread.ts';

/** What a home came to, for the user that this process runs as. */
export interface Seen {
  /** Of `writ doctor`, what it says of the home. */
  readonly problems: readonly Finding[];
  /** What a node that starts says; absent: it started, and was ended again. */
  readonly refusal?: WritErrorJson;
}

/** Of a user who has nothing but a home directory, whatever environment this process has. */
const environmentOf = (user: string): Environment => ({
  ...{ ...readEnvironment(), homeDir: user },
  ...{ writHome: undefined, xdgConfigHome: undefined, xdgDataHome: undefined },
});
const resolved = (user: string) => resolveHome(environmentOf(user));

/** Makes a node in the home directory `user`, and starts it once, so that everything of it is there. */
export async function makeNode(user: string): Promise<void> {
  await initNode(resolved(user), { name: 'solo', listen: '127.0.0.1:0', workspaces: [], isolation: 'none' });
  await start(user);
}

/** Asks both about the home directory `user`. */
export async function lookAndStart(user: string): Promise<Seen> {
  const context = { home: resolved(user) } as CliContext;
  const problems = (await lookAtHome({ context, status: undefined })).filter(({ state }) => state === 'problem');
  try {
    await start(user);
    return { problems };
  } catch (error) {
    return { problems, refusal: errorToJson(toWritError(error)) };
  }
}

async function start(user: string): Promise<void> {
  const home = resolved(user);
  closeSync(openLog(home));
  const node = await composeNode({
    ...{ home, environment: environmentOf(user), logger: silentLogger },
    // The files of the grammar stand beside the built program only, and nothing is classified here.
    loadGrammar: async () => ({ parse: () => ({ ok: false, reason: 'no grammar' }) }),
    commandThread: IDLE_THREAD,
    // Nor is any process started.
    spawner: new URL('./spawner.js', import.meta.url),
    programs: [],
    requestStop: () => undefined,
  });
  await node.close(0);
}
