import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TaskSpec } from '@writ/task-store';
import { gitIn, NODE_IDS } from '@writ/testkit/delegation';
import { afterEach, expect, it } from 'vitest';
import type { OutgoingSubmit, PeerClient } from '../peer-port.ts';
import { createEvidenceBench, type EvidenceBench } from '../testing/evidence-bench.ts';
import { NO_RESULTS } from '../testing/no-results.ts';
import type { ShippedBundle } from '../types.ts';

const { alpha, gamma } = NODE_IDS;

/** Beta lets tasks of alpha hand work on to gamma, with what they have made where `ship` says so. */
const policyOf = (repository: string, ship = true): string => `schema = 1
[node]
name = "beta"
[workspaces.app]
path = ${JSON.stringify(repository)}
[profiles.relay]
capabilities = ["read_repo", "subdelegate"]
commands = [["true"]]
runner = "shell"
isolation = "none"
require_explicit = true
require_lease = true
[profiles.bare]
capabilities = ["inspect_status", "subdelegate"]
commands = [["true"]]
runner = "shell"
isolation = "none"
require_explicit = true
require_lease = true
[profiles.plain]
capabilities = ["read_repo"]
commands = [["true"]]
runner = "shell"
isolation = "none"
[peers.alpha]
id = "${alpha}"
profiles = ["relay", "bare", "plain"]
workspaces = ["app"]
max_depth = 2
[peers.gamma]
id = "${gamma}"
address = "127.0.0.1:1"
[peers.gamma.outbound]
profiles = ["relay"]
workspaces = ["app"]
ship = ${ship}
`;

const SPEC: TaskSpec = { input: { kind: 'argv', argv: ['true'] }, profile: 'relay', workspace: 'app' };

let bench: EvidenceBench;
let submitted: OutgoingSubmit[];
let uploaded: { readonly input: ShippedBundle; readonly bytes: Buffer }[];
let runs: { exit(code: number): void }[];
afterEach(async () => {
  for (const run of runs) run.exit(0);
  await bench.close();
});

const peer: PeerClient = {
  ...NO_RESULTS,
  async submit(outgoing) {
    submitted.push(outgoing);
    return { accepted: true, state: 'queued' };
  },
  async *watch(_task, _after, signal) {
    while (!signal.aborted) await new Promise((resolve) => setImmediate(resolve));
  },
  cancel: async () => undefined,
  readTranscript: async () => ({ data: new Uint8Array(), next: 0, end: true }),
  async upload(input, data) {
    const pieces: Uint8Array[] = [];
    for await (const piece of data) pieces.push(piece);
    uploaded.push({ input, bytes: Buffer.concat(pieces) });
  },
};

async function open(options: { readonly files?: Readonly<Record<string, string>> } = {}): Promise<void> {
  [submitted, uploaded, runs] = [[], [], []];
  bench = await createEvidenceBench({ ...options, peers: { [gamma]: peer } });
  const policy = policyOf(bench.repository);
  expect(await bench.node.engine.reload(policy, { acceptWidening: true })).toMatchObject({ reloaded: true });
  for (const profile of ['relay', 'bare']) {
    bench.node.authority.grantLease({ peer: 'alpha', profile, durationMs: 3_600_000, issuedBy: 'person' });
  }
}

/** A task of alpha that runs; its folder. */
async function running(task: string, spec: TaskSpec = SPEC): Promise<string> {
  const answer = await bench.node.executor.submit(bench.foreign(task, spec));
  expect(answer).toMatchObject({ accepted: true });
  const run = await bench.runner.runOf(task);
  runs.push(run);
  return run.files.dir;
}

const ship = (parent: string, path: string) =>
  bench.node.origin.delegate({ to: 'gamma', spec: SPEC, session: 's1', agent: 'tester', parent, ship: path });

it('a task sends what it has made in its clone, from wherever in it', async () => {
  await open({ files: { 'a.txt': 'one\n', 'lib/b.txt': 'b\n' } });
  const dir = await running('t1');
  writeFileSync(join(dir, 'a.txt'), 'two\n');
  const { accepted, task } = await ship('t1', join(dir, 'lib'));
  expect(accepted).toBe(true);
  const base = gitIn(bench.repository, 'rev-parse', 'HEAD');
  const { commit, bundle } = task.spec.shipped ?? { commit: '' };
  expect(submitted).toMatchObject([{ task: task.id, spec: { shipped: { commit, bundle } } }]);
  expect(uploaded).toMatchObject([{ input: { workspace: 'app', ...bundle } }]);
  const file = join(bench.root, 'sent.bundle');
  writeFileSync(file, uploaded[0]?.bytes ?? '');
  gitIn(bench.repository, 'fetch', '--quiet', file, 'refs/writ/head');
  expect(gitIn(bench.repository, 'log', '--format=%H %P', '-1', 'FETCH_HEAD')).toBe(`${commit} ${base}`);
  expect(gitIn(bench.repository, 'show', 'FETCH_HEAD:a.txt')).toBe('two');
});

it('a task that has changed nothing names the commit that it began with', async () => {
  await open();
  const { task } = await ship('t1', await running('t1'));
  expect(task.spec.shipped).toEqual({ commit: gitIn(bench.repository, 'rev-parse', 'HEAD') });
  expect(uploaded).toEqual([]);
});

it('a task sends nothing but its own files, and learns of no others', async () => {
  await open();
  const [dir, other] = [await running('t1'), await running('t2')];
  symlinkSync(bench.repository, join(dir, 'link'));
  const outside = [bench.repository, join(dir, 'link'), join(dir, '..'), `${dir}-none`, other, '/', join(dir, 'none')];
  for (const path of outside) {
    await expect(ship('t1', path)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringMatching(/is not in the files of this task$/),
    });
  }
  expect([submitted, uploaded]).toEqual([[], []]);
});

it('nothing goes along where there is no clone, or nothing to build on', async () => {
  await open({ files: {} });
  const { workspace: _, ...nowhere } = SPEC;
  const scratch = await running('t1', { ...nowhere, profile: 'bare' });
  await expect(ship('t1', scratch)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringMatching('works on no clone'),
  });
  const empty = await running('t2');
  await expect(ship('t2', empty)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringMatching('had no commit'),
  });
  await expect(ship('none', empty)).rejects.toMatchObject({ code: 'TASK_ENDED' });
});

it('is refused before anything is read where the task or the node may not send it', async () => {
  await open();
  await running('t1', { ...SPEC, profile: 'plain' });
  expect(await ship('t1', '/nowhere')).toMatchObject({ accepted: false, decision: { code: 'GRANT_EXCEEDED' } });
  await running('t2');
  await bench.node.engine.reload(policyOf(bench.repository, false), { acceptWidening: true });
  expect(await ship('t2', '/nowhere')).toMatchObject({ accepted: false, decidedBy: 'here' });
  expect([submitted, uploaded]).toEqual([[], []]);
});
