import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSystemClock, silentLogger } from '@writ/core';
import { createLeftoverStore, createRemovalStore } from '@writ/task-store';
import {
  createPeerLink,
  createPeerServer,
  createScriptedRunner,
  createTestNode,
  type LinkCall,
  type LinkFault,
  NODE_IDS,
  type TestNode,
  type TestNodeOptions,
} from '@writ/testkit/delegation';
import { passUntil } from '@writ/testkit/passing';
import { createFileTranscripts } from '../origin/file-transcripts.ts';
import { createRemoval } from '../removal/removal.ts';
import type { Removal } from '../removal/types.ts';
import type { DelegateRequest } from '../types.ts';
import { ALPHA_POLICY, BUILD, createEvidenceBench, type EvidenceBench } from './evidence-bench.ts';

const { alpha, beta } = NODE_IDS;
const DAY_MS = 86_400_000;

/** How long both nodes of the bench keep tasks, milliseconds. */
export const KEEP_MS = 90 * DAY_MS;

/** Node alpha asks node beta; both remove what has had its time when they are told to. */
export interface RemovalBench {
  readonly at: EvidenceBench;
  readonly asking: TestNode;
  /** Peers of each node as its removal sees them. */
  readonly peers: { asking: readonly string[]; executing: readonly string[] };
  /** Tasks of which beta has kept the clone, and whether there is a clone of which nobody can say which task it is of. */
  readonly held: { readonly tasks: Set<string>; isUnclear: boolean };
  /** When content was stored, as the sweeps see it; other content: when it was. */
  readonly storedAtMs: Map<string, number>;
  /** What happens to calls from alpha to beta. */
  fault: (call: LinkCall) => LinkFault | undefined;
  delegate(more?: Partial<DelegateRequest>): Promise<string>;
  /** Delegates, lets its run write `files` and some output, and waits for the receipt, where one gets through. */
  completed(files?: Readonly<Record<string, string>>, more?: Partial<DelegateRequest>): Promise<string>;
  until(condition: () => boolean): Promise<void>;
  /** Both nodes sweep. */
  sweep(): Promise<void>;
  /** Files of transcripts and evidence, below each node's folder. */
  files(node: TestNode): readonly string[];
  rows(node: TestNode, table: string): number;
  close(): Promise<void>;
}

export async function createRemovalBench(options: Partial<TestNodeOptions> = {}): Promise<RemovalBench> {
  // Files have the time of the system, whatever time it is in a test.
  const at = await createEvidenceBench({ ...options, startMs: createSystemClock().nowMs() });
  const { clock } = at;
  const link = createPeerLink({
    server: createPeerServer({ executor: at.node.executor, sender: alpha, clock }),
    call: (call) => bench.fault(call),
  });
  const asking = await createTestNode({
    ...{ clock, policy: ALPHA_POLICY, selfId: alpha, runner: createScriptedRunner({ clock }) },
    peers: { [beta]: link },
  });
  const peers: RemovalBench['peers'] = { asking: [beta], executing: [alpha] };
  const held: RemovalBench['held'] = { tasks: new Set(), isUnclear: false };
  const storedAtMs: RemovalBench['storedAtMs'] = new Map();
  const removals = [
    createBenchRemoval(asking, at, { peers: () => peers.asking, storedAtMs }),
    createBenchRemoval(at.node, at, { peers: () => peers.executing, held, storedAtMs }),
  ];
  const until = (condition: () => boolean): Promise<void> => passUntil(clock, condition, 20);
  const bench: RemovalBench = {
    ...{ at, asking, peers, held, storedAtMs, until },
    fault: () => undefined,
    async delegate(more = {}) {
      const answer = await asking.origin.delegate({ to: 'beta', spec: BUILD, session: 's1', agent: 'tester', ...more });
      return answer.task.id;
    },
    async completed(files = { 'b.txt': 'two\n' }, more = {}) {
      const id = await bench.delegate(more);
      const run = await at.runner.runOf(id);
      for (const [name, text] of Object.entries(files)) writeFileSync(join(run.files.dir, name), text);
      run.output('stdout', `output of ${id}\n`);
      run.exit(0);
      // Git takes real time, which is not to pass here.
      await at.ended(id);
      await until(() => asking.origin.get(id)?.outcome !== undefined);
      const { state, outcome } = asking.origin.get(id) ?? {};
      if (state !== 'completed') throw new Error(`${id} is ${state}: ${outcome?.message}`);
      const isDone = (): boolean => asking.origin.result(id)?.acknowledgedAtMs !== undefined;
      if (bench.fault('acknowledge') === undefined) await until(isDone);
      return id;
    },
    async sweep() {
      let isOver = false;
      const sweeping = Promise.all(removals.map((removal) => removal.sweep())).finally(() => {
        isOver = true;
      });
      await until(() => isOver);
      await sweeping;
    },
    files: ({ dir }) => ['transcripts', 'content'].flatMap((name) => filesBelow(join(dir, name))),
    rows: ({ database }, table) =>
      database.withReadTx((tx) => Number(tx.prepare(`SELECT COUNT(*) FROM ${table}`).pluck().get())),
    async close() {
      for (const removal of removals) await removal.close();
      await asking.close();
      await at.close();
    },
  };
  return bench;
}

/** What removes at one node of a bench. */
export function createBenchRemoval(
  { database, evidence, identity, dir, authorityRecords }: TestNode,
  { clock, runner }: Pick<EvidenceBench, 'clock' | 'runner'>,
  {
    peers,
    held,
    storedAtMs,
  }: { readonly peers: () => readonly string[] } & Partial<Pick<RemovalBench, 'held' | 'storedAtMs'>>,
): Removal {
  const { content } = evidence;
  return createRemoval({
    ...{ database, runner, clock, logger: silentLogger },
    evidence: {
      ...evidence,
      content: {
        removeUnused: (name, beforeMs, isNamed) =>
          storedAtMs?.has(name)
            ? (storedAtMs.get(name) ?? 0) < beforeMs && content.removeUnused(name, clock.nowMs(), isNamed)
            : content.removeUnused(name, beforeMs, isNamed),
      },
    },
    removals: createRemovalStore(),
    leftovers: createLeftoverStore(),
    authority: authorityRecords,
    transcripts: createFileTranscripts(join(dir, 'transcripts')),
    self: identity.public.id,
    rules: () => ({ keepMs: KEEP_MS, peers: peers() }),
    held: async () => (held?.isUnclear ? 'all' : (held?.tasks ?? new Set())),
  });
}

function filesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}
