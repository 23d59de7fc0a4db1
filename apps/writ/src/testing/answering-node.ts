import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Gate } from '@writ/authority';
import { createSystemRandom, silentLogger } from '@writ/core';
import { createApproverKey, unlockApproverKey } from '@writ/identity';
import { build } from 'esbuild';
import type { Environment } from '../env.ts';
import { resolveHome } from '../home.ts';
import { composeNode, type RunningNode } from '../node/compose.ts';
import { buildCommandThread } from './built-thread.ts';
import { installedGrammar, installedGrammarFiles } from './installed-grammar.ts';

/** A node that serves in this process, with processes of its own and a person who answers; its home was made before. */
export interface AnsweringNode {
  readonly node: RunningNode;
  readonly gate: Gate;
  /** Makes its person the approver; from then on the host token alone pairs and lends nothing. */
  enroll(): void;
  /** Answers a question as the person of the node; what state it is in then, or which check said no. */
  answer(approval: string, answer: 'approve' | 'deny', scope?: 'once' | 'session' | 'target'): string;
  close(): Promise<void>;
}

const PASSPHRASE = 'four words of a test';
/** The least that is accepted: nobody guesses here. */
const COST = { logN: 14, r: 8, p: 1 } as const;

export async function startAnsweringNode(
  home: string,
  all: Readonly<Record<string, string | undefined>>,
): Promise<AnsweringNode> {
  const folder = await mkdtemp(join(home, 'spawner-'));
  const environment: Environment = {
    ...{ all, writHome: home, xdgConfigHome: undefined, xdgDataHome: undefined, xdgRuntimeDir: home },
    ...{
      homeDir: all.HOME,
      taskAccess: undefined,
      session: undefined,
      timeZone: () => 'UTC',
      noColor: true,
      isDumbTerminal: true,
      logLevel: 'silent',
    },
  };
  const thread = await buildCommandThread();
  const node = await composeNode({
    ...{ home: resolveHome(environment), environment, logger: silentLogger, loadGrammar: installedGrammar },
    programs: [],
    commandThread: { script: thread.script, files: installedGrammarFiles() },
    spawner: pathToFileURL(await bundleSpawner(folder)),
    requestStop: () => undefined,
  });
  const { gate } = node.work;
  const made = await createApproverKey({ passphrase: PASSPHRASE, random: createSystemRandom(), cost: COST });
  const key = await unlockApproverKey(made.sealed, PASSPHRASE);
  const { id, kind, publicKey } = made;
  return {
    node,
    gate,
    enroll: () =>
      node.database.withWriteTx((tx) => gate.approvers.enroll(tx, { id, kind, publicKey, label: 'person' })),
    answer(approval, answer, scope = 'once') {
      const statement = gate.approvals.statement(approval, answer === 'deny' ? { answer } : { answer, scope });
      if (statement === undefined) throw new Error(`no approval ${approval}`);
      const outcome = gate.approvals.decide(approval, { statement, proof: key.sign(statement) });
      return outcome.decided ? outcome.approval.state : `${outcome.check}: ${outcome.refusal.code}`;
    },
    async close() {
      key.lock();
      await node.close(1000);
      await thread.remove();
      await rm(folder, { recursive: true });
    },
  };
}

async function bundleSpawner(folder: string): Promise<string> {
  const outfile = join(folder, 'spawner.mjs');
  await build({
    entryPoints: [createRequire(import.meta.url).resolve('@writ/runner/spawner')],
    ...{ bundle: true, platform: 'node', target: 'node20', format: 'esm', outfile, logLevel: 'error' },
  });
  return outfile;
}
