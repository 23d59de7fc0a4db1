import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createSystemClock, createSystemRandom, silentLogger, sleep } from '@writ/core';
import { openDatabase } from '@writ/database';
import { createNodeFactStore } from '@writ/lease-store';
import { createPolicyEngine, type PolicyEngine } from '@writ/policy';
import { createAcceptedPolicy } from '../../apps/writ/src/node/accepted-policy.ts';
import { createConfigFile, type NodeConfigFile } from '../../apps/writ/src/node/config-file.ts';
import { createPolicyCompiler } from '../../apps/writ/src/node/policy-compiler.ts';
import { policyText, requestOf } from './policy-subjects.ts';
import { threadTimeMs } from './thread-time.ts';

const THREAD = pathToFileURL(resolve('apps/writ/dist/policy-thread.js'));

/** What a reload, or the machine alone, did to whoever else is served by the same thread, milliseconds. */
export interface Reload {
  /** Longest that a caller of every millisecond waited for its turn. */
  readonly stallMs: number;
  /** Longest that was computed in one piece meanwhile: what is left of the stall on a machine that does nothing else. */
  readonly computedMs: number;
  readonly tookMs: number;
}

/**
 * Loads a configuration of so many peers again and again as a node does (file, thread, comparing, swap, accepted text in
 * the database), each time with one more change, while decisions are asked for at every turn.
 */
export async function measureReloads(
  peers: number,
  reloads: number,
): Promise<{
  readonly reloads: readonly Reload[] /** The same without a reload, as long. */;
  readonly quiet: readonly Reload[];
}> {
  const folder = mkdtempSync(join(tmpdir(), 'writ-reload-'));
  const path = join(folder, 'writ.toml');
  const text = policyText(peers);
  writeFileSync(path, text, { mode: 0o600 });
  const node = await createNode(folder, path, text);
  try {
    const measured = { reloads: [] as Reload[], quiet: [] as Reload[] };
    for (let at = 0; at < reloads; at++) {
      writeFileSync(path, `${text}${CHANGES[at % CHANGES.length]}`);
      const reload = await whileServing(node.engine, peers, async () => {
        const { reloaded } = await node.file.reload({ accept: false });
        if (!reloaded) throw new Error('the configuration of the bench does not load');
      });
      measured.reloads.push(reload);
      measured.quiet.push(await whileServing(node.engine, peers, () => sleep(reload.tookMs)));
    }
    return measured;
  } finally {
    await node.close();
    rmSync(folder, { recursive: true });
  }
}

/** Something more, which waits, so that two policies are met; something else; as it was. All of the last peer. */
const CHANGES = ['max_depth = 1\n', 'max_depth = 2\n', ''] as const;

interface ReloadingNode {
  readonly engine: PolicyEngine;
  readonly file: NodeConfigFile;
  close(): Promise<void>;
}

async function createNode(folder: string, path: string, text: string): Promise<ReloadingNode> {
  const clock = createSystemClock();
  const database = await openDatabase({ path: join(folder, 'writ.sqlite'), clock, logger: silentLogger });
  const accepted = createAcceptedPolicy(database, createNodeFactStore());
  const compiler = createPolicyCompiler({ script: THREAD, clock });
  const compiled = await compiler.compile(text);
  if (!compiled.ok) throw new Error('the configuration of the bench does not load');
  const engine = createPolicyEngine({
    ...{ text: compiled.policy, compile: compiler.compile, clock, selfId: 'wn-bench' },
  });
  const file = createConfigFile({
    ...{ path, engine, compiler, clock, random: createSystemRandom(), logger: silentLogger },
    onReload: (text, outcome, cause) => accepted.note(text, outcome, cause, engine.acceptedTexts()),
  });
  return {
    engine,
    file,
    async close() {
      await file.close();
      database.close();
    },
  };
}

async function whileServing(engine: PolicyEngine, peers: number, work: () => Promise<void>): Promise<Reload> {
  let stallMs = 0;
  let computedMs = 0;
  let isOver = false;
  const serve = async (): Promise<void> => {
    let last = { ms: performance.now(), threadMs: threadTimeMs() };
    for (let call = 0; !isOver; call++) {
      await sleep(1);
      const request = requestOf(engine, (call % 100) * Math.floor(peers / 100));
      if (engine.decide(request).trace.length < 8) throw new Error('a decision without its trace');
      const now = { ms: performance.now(), threadMs: threadTimeMs() };
      stallMs = Math.max(stallMs, now.ms - last.ms - 1);
      computedMs = Math.max(computedMs, now.threadMs - last.threadMs);
      last = now;
    }
  };
  const serving = serve();
  const startedAt = performance.now();
  await work();
  const tookMs = performance.now() - startedAt;
  await sleep(1);
  isOver = true;
  await serving;
  return { stallMs, computedMs, tookMs };
}
