import { join } from 'node:path';
import { type Clock, createSystemClock, type Random } from '@writ/core';
import type { EvidenceKit } from '@writ/delegation';
import { createContentStore, createGitProcess, createResultSigner } from '@writ/evidence';
import { createSignerCache, type NodeIdentity } from '@writ/identity';
import type { PolicyEngine } from '@writ/policy';
import { createResultStore } from '@writ/task-store';
import { pinOf } from './test-identities.ts';

const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;

/** Everything of evidence as a node has it, kept in `dir`; the peers of its policy are pinned. */
export function createTestEvidence(options: {
  readonly dir: string;
  readonly identity: NodeIdentity;
  readonly engine: PolicyEngine;
  readonly clock: Clock;
  readonly random: Random;
}): EvidenceKit {
  const { dir, identity, engine, clock, random } = options;
  const isPeer = (id: string): boolean => [...engine.snapshot().config.peers.values()].some((peer) => peer.id === id);
  return {
    // Git takes real time, whatever time it is in a test.
    git: createGitProcess({ git: 'git', clock: createSystemClock() }),
    openRoom: undefined,
    gitDirRoot: join(dir, 'git'),
    path: process.env.PATH ?? '/usr/bin:/bin',
    content: createContentStore({ dir: join(dir, 'content'), random }),
    results: createResultStore(),
    signer: createResultSigner({ identity, clock }),
    identity,
    trust: {
      signers: createSignerCache(),
      self: identity.public,
      pins: { get: (id) => (isPeer(id) ? pinOf(id) : undefined) },
    },
    guard: { user: process.geteuid?.(), closed: [join(dir, 'git')], named: () => [] },
    limits: {
      collect: {
        ...{ maxEntries: 10_000, maxChangedFiles: 1000, maxFileBytes: 10 * MIB, maxTotalBytes: 50 * MIB },
        ...{ maxPatchBytes: 10 * MIB, maxBundleBytes: 10 * MIB, timeoutMs: MINUTE_MS },
      },
      artifacts: {
        maxArtifacts: 100,
        maxArtifactBytes: 10 * MIB,
        maxTotalBytes: 50 * MIB,
        maxEntries: 10_000,
        maxSteps: 10_000_000,
      },
      bundle: {
        ...{ maxBundleBytes: 10 * MIB, maxObjects: 10_000, maxObjectBytes: 10 * MIB },
        ...{ maxUnpackedBytes: 50 * MIB, maxFiles: 10_000, timeoutMs: MINUTE_MS },
      },
      maxEnvelopeBytes: 16 * MIB,
    },
  };
}
