import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemRandom } from '@writ/core';
import { type Result, readResult, type Verified, verifyEnvelope } from '@writ/evidence';
import { type NodeIdentity, readWritClaims, verifyChain } from '@writ/identity';
import { createPolicyEngine } from '@writ/policy';
import type { Task, TaskSpec } from '@writ/task-store';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import {
  createScriptedRunner,
  createTestIssuer,
  createTestNode,
  gitIn,
  makeRepository,
  NODE_IDS,
  openTestIdentity,
  pinOf,
  type ScriptedRunner,
  type TestNode,
  type TestNodeOptions,
} from '@writ/testkit/delegation';
import { ownNonce } from '../own-nonce.ts';
import type { SubmitRequest } from '../types.ts';

const { alpha, beta } = NODE_IDS;

const policyOf = (repository: string): string => `schema = 1
[node]
name = "beta"
default_profile = "query"
[workspaces.app]
path = ${JSON.stringify(repository)}
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
[profiles.build]
capabilities = ["read_repo"]
commands = [["true"]]
runner = "shell"
isolation = "none"
[self]
profiles = ["query", "build"]
workspaces = ["app"]
[peers.alpha]
id = "${alpha}"
profiles = ["query", "build"]
workspaces = ["app"]
`;

/** Policy of node alpha, which asks beta and offers nothing. */
export const ALPHA_POLICY = `schema = 1
[node]
name = "alpha"
[peers.beta]
id = "${beta}"
address = "127.0.0.1:1"
[peers.beta.outbound]
profiles = ["query", "build"]
workspaces = ["app"]
`;

/** A spec on the workspace. */
export const BUILD: TaskSpec = { input: { kind: 'argv', argv: ['true'] }, profile: 'build', workspace: 'app' };

/** Node beta, which works for alpha and itself in clones of a real repository; its processes are scripted. */
export interface EvidenceBench {
  readonly clock: FakeClock;
  readonly runner: ScriptedRunner;
  readonly root: string;
  /** The repository of workspace `app`. */
  readonly repository: string;
  /** The configuration that it began with, where none was given. */
  readonly policy: string;
  readonly alpha: NodeIdentity;
  readonly node: TestNode;
  /** A request of this machine's own agent. */
  own(task: string, spec?: TaskSpec): SubmitRequest;
  /** A request of alpha under a real writ. */
  foreign(task: string, spec?: TaskSpec, more?: { readonly nonce?: string }): SubmitRequest;
  ended(task: string): Promise<Task>;
  resultOf(task: string): Result;
  /** As the one who asked for it would. */
  verify(task: string): Verified;
  /** The process dies and another begins on the same files. */
  restart(): Promise<ScriptedRunner>;
  close(): Promise<void>;
}

export async function createEvidenceBench(
  options: Partial<TestNodeOptions> & {
    readonly files?: Readonly<Record<string, string>>;
    readonly startMs?: number;
  } = {},
): Promise<EvidenceBench> {
  const clock = createFakeClock(options.startMs ?? Date.UTC(2026, 0, 1));
  const random = createSystemRandom();
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'writ-bench-')));
  const repository = makeRepository(join(root, 'owner'), options.files ?? { 'a.txt': 'one\n' });
  const identity = await openTestIdentity(alpha, { dir: join(root, 'alpha'), clock, random });
  const engine = createPolicyEngine({ text: ALPHA_POLICY, clock, selfId: alpha });
  const issuer = createTestIssuer({ identity, engine, clock, random });
  const scripted = (): ScriptedRunner => createScriptedRunner({ clock, files: (spec) => cloneFor(root, spec) });
  let runner = scripted();
  const { files: _, startMs: __, ...more } = options;
  const start = (dir?: string): Promise<TestNode> =>
    createTestNode({ clock, runner, policy: policyOf(repository), ...more, ...(dir === undefined ? {} : { dir }) });
  let node = await start();

  const bench: EvidenceBench = {
    ...{ clock, root, repository, policy: policyOf(repository), alpha: identity },
    get runner() {
      return runner;
    },
    get node() {
      return node;
    },
    own: (task, spec = BUILD) => ({
      ...{ task, idempotencyKey: `key of ${task}`, spec, agent: 'tester' },
      subject: { from: 'self', origin: 'self', session: 's1' },
    }),
    foreign(task, spec = BUILD, { nonce } = {}) {
      const said = { to: beta, task, spec, session: 's1', agent: 'tester', generation: 1 };
      const writs = [issuer.issue(nonce === undefined ? said : { ...said, nonce })];
      const check = { self: beta, tlsPeer: alpha, nowMs: clock.nowMs(), maxChain: 8 };
      const chain = verifyChain(writs, check, { get: pinOf });
      const subject = { from: alpha, origin: alpha, session: 's1' };
      return { task, idempotencyKey: `key of ${task}`, spec, agent: 'tester', subject, chain, writs };
    },
    async ended(task) {
      for await (const watched of node.executor.watch(task, 0, new AbortController().signal)) void watched;
      const found = node.executor.get(task);
      if (!found) throw new Error(`there is no ${task}`);
      return found;
    },
    resultOf: (task) => readResult(envelopeOf(task)),
    verify(task) {
      const envelope = envelopeOf(task);
      const writ = readResult(envelope).writs.at(-1);
      const nonce = writ === undefined ? ownNonce(task) : (readWritClaims(writ)?.nonce ?? '');
      const self = writ === undefined ? node.identity.public : identity.public;
      const trust = { self, pins: { get: pinOf } };
      return verifyEnvelope({ envelope, expected: { task, nonce }, trust, nowMs: clock.nowMs() });
    },
    async restart() {
      await node.kill();
      runner = scripted();
      node = await start(node.dir);
      return runner;
    },
    async close() {
      await node.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
  const envelopeOf = (task: string): Uint8Array => {
    const found = node.executor.result(task);
    if (!found) throw new Error(`there is no result of ${task}`);
    return found.envelope;
  };
  return bench;
}

/** What a runner does before a run, in one of its folders. */
function cloneFor(root: string, spec: Parameters<NonNullable<Parameters<typeof createScriptedRunner>[0]['files']>>[0]) {
  if (spec.workspace === undefined) return { dir: realpathSync(mkdtempSync(join(root, 'scratch-'))) };
  const { path, shipped } = spec.workspace;
  const dir = realpathSync(mkdtempSync(join(root, 'work-')));
  gitIn(root, 'clone', '--quiet', '--no-hardlinks', path, dir);
  if (shipped) {
    gitIn(dir, 'fetch', '--quiet', shipped.repository, shipped.commit);
    gitIn(dir, 'checkout', '--quiet', '--detach', shipped.commit);
  }
  const base = gitIn(dir, 'rev-parse', '--revs-only', 'HEAD');
  const source = shipped?.repository ?? path;
  return { dir, clone: { ...(base === '' ? {} : { base }), objectFormat: 'sha1' as const, source } };
}
