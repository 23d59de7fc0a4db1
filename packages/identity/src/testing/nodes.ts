import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom } from '@writ/core';
import { createFakeClock, type FakeClock } from '@writ/testkit/clock';
import { createIdentity } from '../identity.ts';
import { type CertifiedKey, parseCertifiedKey } from '../identity-files.ts';
import type { NodeIdentity, WritClaims } from '../types.ts';

/** A real identity in a temporary folder, with the private keys that an attacker in its place would hold. */
export interface TestNode {
  readonly identity: NodeIdentity;
  readonly id: string;
  readonly root: CertifiedKey;
  readonly signing: CertifiedKey;
}

export interface TestNodes {
  readonly clock: FakeClock;
  readonly nodes: readonly TestNode[];
  /** Removes their folders. */
  remove(): void;
}

export async function createTestNodes(count: number): Promise<TestNodes> {
  // From the machine's time, because TLS looks at that.
  const clock = createFakeClock(createSystemClock().nowMs());
  const home = mkdtempSync(join(tmpdir(), 'writ-nodes-'));
  const nodes: TestNode[] = [];
  for (let i = 0; i < count; i++) {
    const dir = join(home, `node-${i}`);
    const identity = await createIdentity({ dir, clock, random: createSystemRandom() });
    const read = (name: string): CertifiedKey => parseCertifiedKey(readFileSync(join(dir, name), 'utf8'), name);
    nodes.push({ identity, id: identity.public.id, root: read('identity.pem'), signing: read('signing.pem') });
  }
  return { clock, nodes, remove: () => rmSync(home, { recursive: true, force: true }) };
}

/** First hop from `from` to `to`, wide enough to be narrowed. */
export function firstClaims(from: TestNode, to: TestNode, nowMs: number): WritClaims {
  const iat = Math.floor(nowMs / 1000);
  return {
    v: 1,
    iss: from.id,
    aud: to.id,
    task: '0198a000-0000-7000-8000-000000000001',
    origin: from.id,
    session: 'session-1',
    agent: 'agent-1',
    profile: 'repo-dev',
    workspace: 'app',
    grant: {
      closure: ['edit_repo', 'read_repo', 'run_tests', 'subdelegate'],
      workspaces: ['app', 'docs'],
      network: ['a.example:443', 'b.example:443'],
      maxOutputBytes: 1000,
    },
    depth: 3,
    iat,
    exp: iat + 600,
    nonce: '0'.repeat(32),
    request: createHash('sha256').update('spec').digest('hex'),
    generation: 7,
  };
}

/** The DER of an identity certificate. */
export function derOf(certificatePem: string): Uint8Array {
  return new Uint8Array(new X509Certificate(certificatePem).raw);
}
