import { sign, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import {
  type Clock,
  createPrivateFile,
  ensurePrivateDirectory,
  quote,
  type Random,
  readPrivateFile,
  replacePrivateFile,
  WritError,
} from '@writ/core';
import { issueIdentityCertificate, issueLeafCertificate } from './certificate-issue.ts';
import type { LeafKind } from './certificate-kinds.ts';
import { readIdentityCertificate } from './identity-certificate.ts';
import {
  type CertifiedKey,
  certificatePemOf,
  formatCertifiedKey,
  generateKey,
  keyPemOf,
  parseCertifiedKey,
  spkiOf,
} from './identity-files.ts';
import { proveIssued, proveLeaf, readClaimedLeaf, validityOf } from './leaf-certificate.ts';
import { nodeIdOf } from './node-id.ts';
import type { NodeIdentity, PublicIdentity } from './types.ts';

/** Where a node's keys are, and what its certificates are made with. */
export interface IdentityOptions {
  /** Folder of the keys, mode 0700. */
  readonly dir: string;
  readonly clock: Clock;
  readonly random: Random;
}

const KEY_TYPES = { tls: 'ec', signing: 'ed25519' } as const;
/** A leaf is replaced when this part of its life is gone. */
const ROTATE_AFTER = 2 / 3;

/** Makes the identity of a new node. Throws CONFLICT where the folder holds one already; nothing is overwritten. */
export async function createIdentity(options: IdentityOptions): Promise<NodeIdentity> {
  const { dir, clock, random } = options;
  ensurePrivateDirectory(dir);
  const key = generateKey('ec');
  const spki = spkiOf(key);
  const context = { identityKey: key, id: nodeIdOf(spki), nowMs: clock.nowMs(), random };
  const certificateDer = await issueIdentityCertificate(context, spki);
  const path = identityPath(dir);
  if (!(await createPrivateFile(path, formatCertifiedKey({ key, certificateDer }), random))) {
    throw new WritError('CONFLICT', `${quote(path)} exists: this node has an identity already`, {
      nextSteps: ['start the node with `writ up`, or choose another home for a new node'],
    });
  }
  return loadIdentity(options);
}

/**
 * Who a node is, from its identity's own file alone: nothing is made anew, so that it can be asked beside a running node.
 * Throws NOT_INITIALIZED, HOME_INSECURE, CONFIG_INVALID.
 */
export async function readPublicIdentity(dir: string): Promise<PublicIdentity> {
  return readIdentityCertificate((await readRoot(dir)).certificateDer).pin;
}

async function readRoot(dir: string): Promise<CertifiedKey> {
  const path = identityPath(dir);
  const identityFile = await readPrivateFile(path);
  if (identityFile === undefined) {
    throw new WritError('NOT_INITIALIZED', `no identity in ${quote(dir)}`, { nextSteps: ['writ init'] });
  }
  return parseCertifiedKey(identityFile, path);
}

/**
 * Reads a node's identity; TLS and signing keys that are missing, do not fit or have used two thirds of their life are
 * made anew. Throws NOT_INITIALIZED where there is none, HOME_INSECURE where others can read it, CONFIG_INVALID where
 * the identity's own file is damaged.
 */
export async function loadIdentity(options: IdentityOptions): Promise<NodeIdentity> {
  const root = await readRoot(options.dir);
  ensurePrivateDirectory(options.dir);
  const loaded: Leaves = {
    tls: await loadLeaf(options, root, 'tls'),
    signing: await loadLeaf(options, root, 'signing'),
  };
  return createNodeIdentity(options, root, loaded);
}

type Leaves = Readonly<Record<LeafKind, CertifiedKey>>;

function createNodeIdentity(options: IdentityOptions, root: CertifiedKey, loaded: Leaves): NodeIdentity {
  const { pin } = readIdentityCertificate(root.certificateDer);
  const listeners = new Set<() => void>();
  let leaves = loaded;
  let rotating: Promise<void> | undefined;

  const rotateNow = async (): Promise<void> => {
    leaves = { tls: await renewLeaf(options, root, 'tls'), signing: await renewLeaf(options, root, 'signing') };
    for (const listener of [...listeners]) listener();
  };

  return {
    public: pin,
    tls: () => ({
      keyPem: keyPemOf(leaves.tls.key),
      chainPem: `${certificatePemOf(leaves.tls.certificateDer)}${pin.certificatePem}`,
    }),
    onRotate(listener) {
      const entry = (): void => listener();
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
    sign: (data) => new Uint8Array(sign(null, data, leaves.signing.key)),
    signingCertificate: () => leaves.signing.certificateDer,
    rotate() {
      rotating ??= rotateNow().finally(() => {
        rotating = undefined;
      });
      return rotating;
    },
    rotationDueAtMs: () => Math.min(...Object.values(leaves).map((leaf) => dueAtMs(leaf.certificateDer))),
  };
}

async function loadLeaf(options: IdentityOptions, root: CertifiedKey, kind: LeafKind): Promise<CertifiedKey> {
  const path = leafPath(options.dir, kind);
  const text = await readPrivateFile(path);
  if (text !== undefined) {
    const leaf = readFitting(text, path, root, { kind, nowMs: options.clock.nowMs() });
    if (leaf !== undefined && options.clock.nowMs() < dueAtMs(leaf.certificateDer)) return leaf;
  }
  return renewLeaf(options, root, kind);
}

/**
 * The stored leaf where it is whole and under this identity. What is not can be made anew, so it stops nothing. Before the
 * identity itself is valid it is the clock that is wrong, and not the leaf: that stays.
 */
function readFitting(
  text: string,
  path: string,
  root: CertifiedKey,
  { kind, nowMs }: { readonly kind: LeafKind; readonly nowMs: number },
): CertifiedKey | undefined {
  try {
    const leaf = parseCertifiedKey(text, path);
    const claimed = readClaimedLeaf(leaf.certificateDer, kind);
    if ('reason' in claimed) return undefined;
    const { certificate } = readIdentityCertificate(root.certificateDer);
    const atMs = Math.max(nowMs, validityOf(certificate).fromMs);
    const isFit = proveLeaf(claimed, certificate, atMs) === undefined;
    return isFit || (atMs > nowMs && proveIssued(claimed, certificate) === undefined) ? leaf : undefined;
  } catch {
    return undefined;
  }
}

async function renewLeaf(options: IdentityOptions, root: CertifiedKey, kind: LeafKind): Promise<CertifiedKey> {
  const key = generateKey(KEY_TYPES[kind]);
  const rootSpki = spkiOf(root.key);
  const context = {
    identityKey: root.key,
    id: nodeIdOf(rootSpki),
    nowMs: options.clock.nowMs(),
    random: options.random,
    issuerFromMs: validityOf(new X509Certificate(root.certificateDer)).fromMs,
  };
  const leaf = { key, certificateDer: await issueLeafCertificate(context, kind, spkiOf(key), rootSpki) };
  await replacePrivateFile(leafPath(options.dir, kind), formatCertifiedKey(leaf), options.random);
  return leaf;
}

function dueAtMs(certificateDer: Uint8Array): number {
  const { fromMs, toMs } = validityOf(new X509Certificate(certificateDer));
  return fromMs + (toMs - fromMs) * ROTATE_AFTER;
}

function identityPath(dir: string): string {
  return join(dir, 'identity.pem');
}

function leafPath(dir: string, kind: LeafKind): string {
  return join(dir, `${kind}.pem`);
}
