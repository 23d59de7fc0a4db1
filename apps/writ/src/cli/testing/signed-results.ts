import { join } from 'node:path';
import { createSystemClock, createSystemRandom, sha256Hex, silentLogger } from '@writ/core';
import { createResultSigner, type Result, type SignedResult, type UnsignedResult } from '@writ/evidence';
import { createIdentity, createPinStore, issueWrit, type NodeIdentity, writDigest } from '@writ/identity';
import type { Home } from '../../home.ts';

/** The node of a home, beta whom it has pinned, gamma whom only beta knows, and what they sign. */
export interface SignedResults {
  readonly alpha: NodeIdentity;
  readonly beta: NodeIdentity;
  readonly gamma: NodeIdentity;
  /** What the last of these nodes signs about a task that came along them. */
  sign(along: readonly NodeIdentity[], more?: Partial<UnsignedResult>): SignedResult;
}

const clock = createSystemClock();
const random = createSystemRandom();

/** Digest and size of something stored. */
export function digestOf(content: string): { readonly sha256: string; readonly bytes: number } {
  return { sha256: sha256Hex(content), bytes: Buffer.byteLength(content) };
}

/** What a task has changed: one file; bundle and patch are these texts. */
export function changed(bundle: string, patch: string): Result['changes'] {
  const lines = { insertions: 2, deletions: 1 };
  return {
    kind: 'changed',
    base: '1'.repeat(40),
    head: '2'.repeat(40),
    tree: '3'.repeat(40),
    files: [{ path: 'a.ts', encoding: 'utf8', status: 'M', oldMode: '100644', mode: '100644', ...lines }],
    ...lines,
    patch: digestOf(patch),
    bundle: digestOf(bundle),
  };
}

/** Makes the keys of `home` and of two others in folders beside it. */
export async function createSignedResults(home: Home): Promise<SignedResults> {
  const make = (dir: string): Promise<NodeIdentity> => createIdentity({ dir, clock, random });
  const alpha = await make(home.keysDir);
  const beta = await make(join(home.dataDir, 'of-beta'));
  const gamma = await make(join(home.dataDir, 'of-gamma'));
  await createPinStore(home.pinsDir, random, silentLogger).put(beta.public);
  return {
    alpha,
    beta,
    gamma,
    sign(along, more = {}) {
      const last = along.at(-1) ?? alpha;
      const unsigned = resultOf(along, writsAlong(along));
      return createResultSigner({ identity: last, clock }).sign({ ...unsigned, ...more });
    },
  };
}

const taskOf = (hop: number): string => `task-${hop}`;
const nonceOf = (hop: number): string => String(hop).repeat(32);

function writsAlong(along: readonly NodeIdentity[]): readonly string[] {
  const writs: string[] = [];
  for (const [at, from] of along.slice(0, -1).entries()) {
    const iat = Math.floor(clock.nowMs() / 1000);
    const before = writs.at(-1);
    writs.push(
      issueWrit(from, {
        v: 1,
        iss: from.public.id,
        aud: along[at + 1]?.public.id ?? '',
        task: taskOf(at + 1),
        origin: along[0]?.public.id ?? '',
        session: 's-1',
        agent: 'tester',
        grant: { closure: ['read_repo'], workspaces: ['app'], network: 'deny', maxOutputBytes: 1000 },
        depth: 8 - at,
        iat,
        exp: iat + 600,
        nonce: nonceOf(at + 1),
        ...(before === undefined ? {} : { prev: writDigest(before) }),
        request: sha256Hex('spec'),
        generation: 1,
      }),
    );
  }
  return writs;
}

function resultOf(along: readonly NodeIdentity[], writs: readonly string[]): UnsignedResult {
  const nowMs = clock.nowMs();
  return {
    task: taskOf(writs.length),
    origin: along[0]?.public.id ?? '',
    session: 's-1',
    agent: 'tester',
    chain: along.slice(0, -1).map((node) => node.public.id),
    writs: [...writs],
    nonce: nonceOf(writs.length),
    workspace: 'app',
    profile: { requested: 'repo-dev', effective: 'repo-dev' },
    runner: 'shell',
    isolation: 'none',
    generation: 3,
    lease: null,
    approvals: [],
    changes: { kind: 'none', base: '1'.repeat(40), tree: '3'.repeat(40) },
    outcome: { state: 'completed', code: null, message: 'exit 0' },
    exit: { kind: 'exit', exitCode: 0 },
    truncated: false,
    output: { stdoutBytes: 0, stderrBytes: 0 },
    times: { acceptedAtMs: nowMs, startedAtMs: nowMs, endedAtMs: nowMs },
    usage: null,
    transcript: null,
    artifacts: [],
    children: [],
  };
}

/** How a parent names what it passed on. */
export function childOf({ result, sha256 }: SignedResult): Result['children'][number] {
  return { task: result.task, node: result.node, nonce: result.nonce, envelope: sha256 };
}
