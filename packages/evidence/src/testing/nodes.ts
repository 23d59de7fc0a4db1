import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom, sha256Hex } from '@writ/core';
import { createIdentity, issueWrit, type NodeIdentity, type WritClaims, writDigest } from '@writ/identity';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import type { Result } from '../result-schema.ts';
import { createResultSigner, type SignedResult, type UnsignedResult } from '../sign.ts';
import type { Trust } from '../verify.ts';

/** Some nodes with real keys, and what they sign. */
export interface EvidenceNodes {
  readonly clock: FakeClock;
  readonly nodes: readonly NodeIdentity[];
  /** The chain of writs along these nodes, and the claims of each. */
  chain(...along: readonly NodeIdentity[]): {
    readonly writs: readonly string[];
    readonly claims: readonly WritClaims[];
  };
  /** A result of the last of these nodes, under the chain along them. */
  result(along: readonly NodeIdentity[], more?: Partial<UnsignedResult>): UnsignedResult;
  sign(along: readonly NodeIdentity[], more?: Partial<UnsignedResult>): SignedResult;
  trust(self: NodeIdentity, ...pinned: readonly NodeIdentity[]): Trust;
  remove(): void;
}

export const digestOf = (text: string): { readonly sha256: string; readonly bytes: number } => ({
  sha256: sha256Hex(text),
  bytes: Buffer.byteLength(text),
});

export const CHANGED: Result['changes'] = {
  kind: 'changed',
  base: '1'.repeat(40),
  head: '2'.repeat(40),
  tree: '3'.repeat(40),
  files: [{ path: 'a', encoding: 'utf8', status: 'M', oldMode: '100644', mode: '100644', insertions: 1, deletions: 0 }],
  insertions: 1,
  deletions: 0,
  patch: digestOf('the patch'),
  bundle: digestOf('the bundle'),
};

export async function createEvidenceNodes(count: number): Promise<EvidenceNodes> {
  const clock = createFakeClock(createSystemClock().nowMs());
  const home = mkdtempSync(join(tmpdir(), 'writ-evidence-nodes-'));
  const nodes: NodeIdentity[] = [];
  for (let i = 0; i < count; i++) {
    nodes.push(await createIdentity({ dir: join(home, `node-${i}`), clock, random: createSystemRandom() }));
  }
  const chain: EvidenceNodes['chain'] = (...along) => {
    const writs: string[] = [];
    const claims: WritClaims[] = [];
    for (const [i, from] of along.slice(0, -1).entries()) {
      const iat = Math.floor(clock.nowMs() / 1000);
      const before = writs.at(-1);
      const hop: WritClaims = {
        v: 1,
        iss: from.public.id,
        aud: along[i + 1]?.public.id ?? '',
        task: `task-${i + 1}`,
        origin: along[0]?.public.id ?? '',
        session: 'session-1',
        agent: 'agent-1',
        grant: { closure: ['read_repo', 'subdelegate'], workspaces: ['app'], network: 'deny', maxOutputBytes: 1000 },
        depth: 8 - i,
        iat,
        exp: iat + 600,
        nonce: String(i + 1).repeat(32),
        ...(before === undefined ? {} : { prev: writDigest(before) }),
        request: sha256Hex('spec'),
        generation: 1,
      };
      claims.push(hop);
      writs.push(issueWrit(from, hop));
    }
    return { writs, claims };
  };
  const result: EvidenceNodes['result'] = (along, more = {}) => {
    const { writs, claims } = chain(...along);
    const nowMs = clock.nowMs();
    return {
      task: claims.at(-1)?.task ?? 'task-0',
      origin: along[0]?.public.id ?? '',
      session: 'session-1',
      agent: 'agent-1',
      chain: along.slice(0, -1).map((node) => node.public.id),
      writs: [...writs],
      nonce: claims.at(-1)?.nonce ?? '0'.repeat(32),
      workspace: 'app',
      profile: { requested: 'repo-dev', effective: 'repo-dev' },
      runner: 'shell',
      isolation: 'none',
      generation: 3,
      lease: null,
      approvals: [],
      changes: CHANGED,
      outcome: { state: 'completed', code: null, message: 'done' },
      exit: { kind: 'exit', exitCode: 0 },
      truncated: false,
      output: { stdoutBytes: 3, stderrBytes: 0 },
      times: { acceptedAtMs: nowMs, startedAtMs: nowMs, endedAtMs: nowMs },
      usage: null,
      transcript: digestOf('transcript'),
      artifacts: [{ name: 'dist/app.js', ...digestOf('app') }],
      children: [],
      ...more,
    };
  };
  return {
    clock,
    nodes,
    chain,
    result,
    sign(along, more) {
      const identity = along.at(-1);
      if (identity === undefined) throw new Error('nobody signs');
      return createResultSigner({ identity, clock }).sign(result(along, more));
    },
    trust: (self, ...pinned) => ({
      self: self.public,
      pins: { get: (id) => pinned.find((node) => node.public.id === id)?.public },
    }),
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}
