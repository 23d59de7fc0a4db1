import { readFile } from 'node:fs/promises';
import { type Random, readPrivateFile, replacePrivateFile } from '@writ/core';
import { certificateDer, type NodeIdentity } from '@writ/identity';
import type { Checkpoint } from '../note/checkpoint.ts';
import { readCheckpoint, type SignedCheckpoint, signCheckpoint } from '../note/checkpoint.ts';
import { splitNotes } from '../note/signed-note.ts';
import {
  checkSignature,
  createSigners,
  formatSigners,
  readSigners,
  type Signers,
  signingKeyId,
} from '../note/signers.ts';
import { diverged } from './diverged.ts';
import type { AuditFiles } from './layout.ts';
import { openPositional } from './positional-file.ts';

/** The keys that checkpoints are signed with. */
export type CheckpointSigner = Pick<NodeIdentity, 'public' | 'sign' | 'signingCertificate'>;

/** The checkpoints of a log, and who signed them. */
export interface CheckpointBook {
  /** The newest one. */
  readonly newest: SignedCheckpoint | undefined;
  /** Signs the state of the log and keeps it; `checkpoint` is the newest one afterwards. */
  add(state: Omit<Checkpoint, 'origin'>): Promise<SignedCheckpoint>;
}

interface BookOptions {
  readonly files: AuditFiles;
  readonly identity: CheckpointSigner;
  readonly random: Random;
}

/**
 * Opens the book of a node. What was half written is overwritten by the next; throws what `diverged` makes where the newest
 * one is not this node's.
 */
export async function openCheckpointBook(options: BookOptions): Promise<CheckpointBook> {
  const { files, identity, random } = options;
  const identityDer = certificateDer(identity.public.certificatePem);
  const kept = readSigners((await readPrivateFile(files.signers)) ?? '');
  let signers = createSigners(identityDer, kept?.keys.map(({ signingDer }) => signingDer) ?? []);
  const text = (await readPrivateFile(files.checkpoints)) ?? '';
  const { notes, rest } = splitNotes(text);
  let end = Buffer.byteLength(text) - Buffer.byteLength(rest);
  let newest = readNewest(notes, withKey(signers, identity.signingCertificate()), files.dir);
  const publish = async (): Promise<void> => {
    if (newest === undefined || (await readFile(files.checkpoint, 'utf8').catch(() => '')) === newest.note) return;
    await replacePrivateFile(files.checkpoint, newest.note, random);
  };
  await publish();
  return {
    get newest() {
      return newest;
    },
    async add({ size, root }) {
      // Key and signature belong together: nothing may come between them.
      const signingDer = identity.signingCertificate();
      const keyId = signingKeyId(signers.id, signingDer) ?? '';
      const note = signCheckpoint({ origin: signers.id, size, root }, { keyId, sign: identity.sign });
      const checkpoint = readCheckpoint(note);
      if (checkpoint === undefined) throw new Error('a checkpoint that was just made cannot be read');
      if (!signers.keys.some((key) => key.keyId === keyId)) {
        signers = withKey(signers, signingDer);
        await replacePrivateFile(files.signers, formatSigners(signers), random);
      }
      await appendAt(files.checkpoints, end, note);
      end += Buffer.byteLength(note);
      newest = checkpoint;
      await publish();
      return checkpoint;
    },
  };
}

function readNewest(notes: readonly string[], signers: Signers, dir: string): SignedCheckpoint | undefined {
  const last = notes.at(-1);
  if (last === undefined) return undefined;
  const newest = readCheckpoint(last);
  if (newest === undefined) throw diverged('its newest checkpoint cannot be read', dir);
  const fault = checkSignature(signers, newest);
  if (fault !== undefined) throw diverged(`its newest checkpoint is not signed by this node (${fault})`, dir);
  return newest;
}

function withKey(signers: Signers, signingDer: Uint8Array): Signers {
  const ders = signers.keys.map((key) => key.signingDer);
  const isKnown = ders.some((der) => Buffer.compare(der, signingDer) === 0);
  return isKnown ? signers : createSigners(signers.identityDer, [...ders, signingDer]);
}

async function appendAt(path: string, offset: number, text: string): Promise<void> {
  const file = await openPositional(path, 'write');
  try {
    await file.truncate(offset);
    await file.write(offset, Buffer.from(text));
    await file.sync();
  } finally {
    await file.close();
  }
}
