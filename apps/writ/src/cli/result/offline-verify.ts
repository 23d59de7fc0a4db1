import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { quote, toWritError, WritError } from '@writ/core';
import {
  formatResult,
  type Result,
  readResult,
  readSigner,
  type VerifiedTree,
  verifyEnvelope,
  verifyTree,
} from '@writ/evidence';
import { contentNames, countOf, type OperationOutput, viewVerified } from '@writ/gateway/client';
import type { NoNode, OfflineTrust } from '../../lifecycle/offline-trust.ts';
import { artifactPath, childPath, LAYOUT } from './layout.ts';

/** Longest envelope that is read, bytes. */
const LONGEST_ENVELOPE = 192 * 1024 * 1024;

/** What was verified, and files beside it in the folder that nobody signed. */
interface OfflineVerified {
  readonly verified: OperationOutput<'verify_result'>;
  readonly unsigned: readonly string[];
}

/**
 * Whose eyes it is looked at with. Without a node these are the signer’s own: what it passed on leads back to it, and everything else is checked as by anybody. Throws
 * EVIDENCE_INVALID where it is of another than was named.
 */
function trustIn(envelope: Uint8Array, by: OfflineTrust | NoNode): OfflineTrust {
  if ('trust' in by) return by;
  const self = readSigner(envelope);
  if (by.signer !== undefined && by.signer !== self.id) {
    throw new WritError('EVIDENCE_INVALID', `it is of ${self.id}, and not of ${quote(by.signer)}`, {
      details: { check: 'identity' },
      nextSteps: ['ask whoever gave you the result which node it is of'],
    });
  }
  return { trust: { self, pins: { get: () => undefined } }, labelOf: (id) => id };
}

/** What is no envelope at all was named by mistake. */
function readNamed(envelope: Uint8Array): Result {
  try {
    return readResult(envelope);
  } catch (error) {
    const { code, message, details } = toWritError(error);
    throw new WritError(code, message, {
      details,
      nextSteps: ['name an envelope, or a folder that writ task result --out wrote'],
    });
  }
}

/**
 * Checks an envelope in a file, or a whole result in a folder as `writ task result --out` wrote it, with every digest
 * and nested result, as a node or as somebody without one. Throws EVIDENCE_INVALID naming what is wrong, BAD_REQUEST for a file that cannot be read.
 */
export async function verifyOffline(path: string, by: OfflineTrust | NoNode, nowMs: number): Promise<OfflineVerified> {
  const isFolder = statSync(path).isDirectory();
  const envelope = readEnvelope(isFolder ? join(path, LAYOUT.envelope) : path);
  // Which task and which writ it answers is what it says itself; the writs in it, which are signed, have to say the same.
  const { task, nonce } = readNamed(envelope);
  const { trust, labelOf } = trustIn(envelope, by);
  const known = 'trust' in by ? {} : ({ known: by.signer === undefined ? 'nobody' : 'named' } as const);
  const check = { envelope, expected: { task, nonce }, trust, nowMs };
  if (!isFolder) {
    const tree = { ...verifyEnvelope(check), children: [] };
    const notChecked = [...besideEnvelope(tree.result), ...strangers(tree.result, trust.self.id)];
    return { verified: viewVerified(tree, labelOf, { content: [], notChecked, ...known }), unsigned: [] };
  }
  const tree = await verifyTree({ ...check, find: (sha256) => readNested(join(path, childPath(sha256))) });
  const expected = await verifyContent(path, tree);
  const unsigned = (await filesOf(path)).filter((file) => !expected.has(file));
  const verified = viewVerified(tree, labelOf, {
    ...known,
    content: [...contentNames(tree.result), LAYOUT.result],
    notChecked: [
      ...unsigned.map((file) => `${quote(file)}: nobody signed it: it is no part of the result`),
      ...strangers(tree.result, trust.self.id),
    ],
  });
  return { verified, unsigned };
}

/** A file of a result as its signature names it. */
interface Signed {
  readonly sha256: string;
  readonly bytes: number;
}

/** No digest is this. */
const OF_ANOTHER_SIZE = '';

/** Every file that the result names is there and is what was signed; gives their names. */
async function verifyContent(dir: string, tree: VerifiedTree): Promise<ReadonlySet<string>> {
  const { changes, artifacts } = tree.result;
  const wanted = new Map<string, Signed>(artifacts.map((artifact) => [artifactPath(artifact.sha256), artifact]));
  if (changes.kind === 'changed') wanted.set(LAYOUT.bundle, changes.bundle).set(LAYOUT.patch, changes.patch);
  const result = formatResult(tree.result);
  wanted.set(LAYOUT.result, { sha256: createHash('sha256').update(result).digest('hex'), bytes: result.length });
  for (const [file, signed] of wanted) {
    const found = await digestOf(join(dir, file), signed.bytes);
    if (found === signed.sha256) continue;
    const why = found === undefined ? 'is not there' : 'is not what was signed';
    throw new WritError('EVIDENCE_INVALID', `${quote(file)} ${why}`, { details: { check: 'subject', file } });
  }
  return new Set([LAYOUT.envelope, ...wanted.keys(), ...nestedOf(tree)]);
}

function nestedOf({ children }: VerifiedTree): readonly string[] {
  return children.flatMap((child) => [childPath(child.sha256), ...nestedOf(child)]);
}

/** What a lone envelope names and does not hold. */
function besideEnvelope(result: Result): readonly string[] {
  const nested = result.children.length;
  const beside = [
    ...contentNames(result),
    ...(result.transcript === null ? [] : ['transcript']),
    ...(nested === 0 ? [] : [countOf(nested, 'nested result')]),
  ];
  return beside.map((what) => `${what}: an envelope alone does not hold it`);
}

/** A pinned node may sign results that have nothing to do with this one. */
function strangers({ chain, node }: Result, self: string): readonly string[] {
  return node === self || chain.includes(self) ? [] : ['who asked: this node is no part of its chain'];
}

function readEnvelope(path: string): Buffer {
  try {
    const stat = statSync(path);
    // Reading a pipe would wait for whoever writes into it.
    if (!stat.isFile()) throw new Error('it is no file');
    if (stat.size > LONGEST_ENVELOPE) throw new Error('it is too large for an envelope');
    return readFileSync(path);
  } catch (cause) {
    throw new WritError('BAD_REQUEST', `cannot read ${quote(path)}: ${(cause as Error).message}`, {
      nextSteps: [`name an envelope, or a folder with ${LAYOUT.envelope} in it`],
      cause,
    });
  }
}

function readNested(path: string): Buffer | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) return undefined;
  // Nothing that long was signed: it is not the one that the result names.
  return stat.size > LONGEST_ENVELOPE ? Buffer.alloc(0) : readEnvelope(path);
}

/** SHA-256 of a regular file, not looked for where it is not as long as it was signed; undefined where there is none. */
async function digestOf(path: string, bytes: number): Promise<string | undefined> {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) return undefined;
  if (stat.size !== bytes) return OF_ANOTHER_SIZE;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Everything in the folder that is no folder, relative to it. */
async function filesOf(dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const isFolder = entries.filter((entry) => !entry.isDirectory());
  return isFolder.map((entry) => join(entry.parentPath, entry.name).slice(dir.length).replace(/^\/+/, '')).sort();
}
