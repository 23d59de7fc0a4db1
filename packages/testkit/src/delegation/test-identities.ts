import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Clock,
  createPrivateFile,
  createSystemClock,
  createSystemRandom,
  ensurePrivateDirectory,
  type Random,
  WritError,
} from '@writ/core';
import { createIdentity, loadIdentity, type NodeIdentity, type Pin } from '@writ/identity';

/** Before every time that a test's clock begins at; an identity is valid for decades. */
const MADE_AT_MS = Date.UTC(2025, 0, 1);

interface TestIdentity {
  readonly pin: Pin;
  /** Key and certificate as a node keeps them. */
  readonly file: string;
}

async function makeIdentity(): Promise<TestIdentity> {
  const dir = await mkdtemp(join(tmpdir(), 'writ-identity-'));
  try {
    const clock = { ...createSystemClock(), nowMs: () => MADE_AT_MS };
    const identity = await createIdentity({ dir: join(dir, 'keys'), clock, random: createSystemRandom() });
    return { pin: identity.public, file: await readFile(join(dir, 'keys', 'identity.pem'), 'utf8') };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const [alpha, beta, gamma, delta] = await Promise.all([makeIdentity(), makeIdentity(), makeIdentity(), makeIdentity()]);
const IDENTITIES: readonly TestIdentity[] = [alpha, beta, gamma, delta];

/** Ids of nodes with real keys, made anew by every process that runs tests. */
export const NODE_IDS = { alpha: alpha.pin.id, beta: beta.pin.id, gamma: gamma.pin.id, delta: delta.pin.id } as const;

/** The identity certificate of one of `NODE_IDS`. */
export function pinOf(id: string): Pin | undefined {
  return IDENTITIES.find(({ pin }) => pin.id === id)?.pin;
}

/** One of `NODE_IDS` with its private keys, kept in `dir`. */
export async function openTestIdentity(
  id: string,
  place: { readonly dir: string; readonly clock: Clock; readonly random: Random },
): Promise<NodeIdentity> {
  const known = IDENTITIES.find(({ pin }) => pin.id === id);
  if (!known) throw new WritError('INTERNAL', `${id} is none of the identities of tests`);
  ensurePrivateDirectory(place.dir);
  await createPrivateFile(join(place.dir, 'identity.pem'), known.file, place.random);
  return loadIdentity(place);
}
