import { X509Certificate } from 'node:crypto';
import { rowHash } from '../entry.ts';
import { isConsistent } from '../merkle/check-proofs.ts';
import { createFrontier, type Frontier, levelsBetween } from '../merkle/frontier.ts';
import { sameHash } from '../merkle/hashing.ts';
import type { SignedCheckpoint } from '../note/checkpoint.ts';
import { notesOf } from '../note/signed-note.ts';
import { createSigners, type Signers } from '../note/signers.ts';
import { checkNotes } from '../verify/checkpoint-check.ts';
import { createProblems, type Problems } from '../verify/problems.ts';
import type { KeptCheckpoint, Problem, VerifyReport } from '../verify/types.ts';
import { readBundleEntry, readHead } from './read-bundle.ts';
import type { BundleHead } from './types.ts';

const NEXT = ['ask for the bundle again: writ audit export', 'or compare with the node itself: writ audit verify'];

/**
 * Checks a bundle from its own certificates on, without the node: what is proved is what the node of the report's id signed.
 * `lines` have the line break that each ends with in the file. `kept` are texts of checkpoints that were kept elsewhere.
 * Throws BAD_REQUEST for what is no bundle.
 */
export async function verifyBundle(lines: AsyncIterable<string>, kept: readonly string[]): Promise<VerifyReport> {
  const problems = createProblems();
  const iterator = lines[Symbol.asyncIterator]();
  const first = await iterator.next();
  const second = await iterator.next();
  const head = readHead(first.value ?? '', second.value);
  if (head === undefined) {
    await iterator.return?.();
    return headReport(problems);
  }
  const signers = signersOf(head, problems);
  const good = signers && checkNotes([head.checkpoint], signers, problems, 'bundle').good;
  const keptNotes = kept.flatMap(notesOf);
  const wanted = signers ? checkNotes(keptNotes, signers, problems, 'kept-checkpoint').good : [];
  const roots = new Map<number, Uint8Array>();
  const tree = subtrees(head, problems);
  const sizes = new Set(wanted.map(({ size }) => size));
  if (tree !== undefined && sizes.has(tree.size)) roots.set(tree.size, tree.root());
  let last = head.from - 1;
  for (let next = second; next.done !== true; next = await iterator.next()) {
    const seq = takeEntry(next.value, last, head, problems);
    if (seq === undefined) continue;
    last = Math.max(last, seq.number);
    if (!problems.between(0, Number.MAX_SAFE_INTEGER)) tree?.push({ level: 0, hash: seq.hash });
    if (tree !== undefined && sizes.has(tree.size)) roots.set(tree.size, tree.root());
  }
  if (last < head.to) say(problems, { kind: 'cut', from: last + 1, to: head.to, message: 'the bundle ends too early' });
  const [checkpoint] = good ?? [];
  if (checkpoint !== undefined) checkRoot(head, checkpoint, tree, problems);
  const checked =
    checkpoint === undefined ? [] : wanted.map((one) => checkKept(one, { head, checkpoint, roots, problems }));
  return {
    ok: problems.list().length === 0,
    node: head.node,
    rows: 0,
    written: Math.max(0, last - head.from + 1),
    signed: checkpoint?.size ?? 0,
    checkpoints: checkpoint === undefined ? 0 : 1,
    kept: checked,
    problems: problems.list(),
    more: problems.more(),
    notes: [],
  };
}

/** What is said of a bundle whose first line proves nothing: neither whose it is nor what it should hold. */
function headReport(problems: Problems): VerifyReport {
  say(problems, { kind: 'unreadable', message: 'the first line of the bundle is not as a node writes it' });
  const nothing = { rows: 0, written: 0, signed: 0, checkpoints: 0, kept: [], notes: [] };
  return { ok: false, node: '', ...nothing, problems: problems.list(), more: problems.more() };
}

function say(problems: Problems, problem: Omit<Problem, 'where' | 'nextSteps'>): void {
  problems.add({ where: 'bundle', nextSteps: NEXT, ...problem });
}

/** The signers that the bundle brings along, if they are those of the node that it names. */
function signersOf(head: BundleHead, problems: Problems): Signers | undefined {
  const [identity, ...keys] = head.certificates.map((text) => Buffer.from(text, 'base64'));
  try {
    const signers = identity && createSigners(identity, keys);
    if (signers?.id === head.node && areOf(identity, keys)) return signers;
  } catch {
    // One of them is no certificate.
  }
  say(problems, { kind: 'another-log', message: 'its certificates are not those of the node that it names' });
  return undefined;
}

/** Whether the identity signed all of them, itself too: also what no checkpoint of the bundle needs is as it was exported. */
function areOf(identity: Uint8Array | undefined, keys: readonly Uint8Array[]): boolean {
  if (identity === undefined) return false;
  const { publicKey } = new X509Certificate(identity);
  return [identity, ...keys].every((der) => new X509Certificate(der).verify(publicKey));
}

/** What comes before the entries; undefined where it does not fit. */
function subtrees(head: BundleHead, problems: Problems): Frontier | undefined {
  const levels = levelsBetween(0, head.from - 1);
  if (head.from >= 1 && levels.length === head.before.length) {
    return createFrontier(levels.map((level, at) => ({ level, hash: Buffer.from(head.before[at] ?? '', 'hex') })));
  }
  say(problems, { kind: 'unreadable', message: 'its proof does not fit the numbers of its entries' });
  return undefined;
}

function takeEntry(
  line: string,
  last: number,
  { to }: BundleHead,
  problems: Problems,
): { readonly number: number; readonly hash: Uint8Array } | undefined {
  const read = readBundleEntry(line);
  if (read === undefined) {
    say(problems, {
      kind: 'unreadable',
      from: last + 1,
      message: 'a line of the bundle is no entry as a node writes it',
    });
    // It stands in somebody's place.
    return { number: last + 1, hash: Buffer.alloc(0) };
  }
  const number = read.entry.seq;
  const hash = rowHash(read.entry);
  if (number <= last) {
    say(problems, { kind: 'duplicate', from: number, message: 'an entry comes again, or out of its order' });
    return undefined;
  }
  if (number > to) {
    say(problems, { kind: 'extra', from: number, message: 'an entry that the bundle does not announce' });
    return undefined;
  }
  if (number > last + 1) {
    say(problems, { kind: 'missing', from: last + 1, to: number - 1, message: 'entries are missing in the bundle' });
  }
  if (Buffer.from(hash).toString('hex') !== read.leaf) {
    say(problems, { kind: 'edited', from: number, message: 'an entry is not the one that its hash is of' });
  }
  return { number, hash };
}

/** Only where every entry is there: what is wrong with one has been said. */
function checkRoot(
  head: BundleHead,
  checkpoint: SignedCheckpoint,
  tree: Frontier | undefined,
  problems: Problems,
): void {
  if (tree === undefined || tree.size !== head.to || problems.between(0, Number.MAX_SAFE_INTEGER)) return;
  const levels = levelsBetween(head.to, checkpoint.size);
  const fits = levels.length === head.after.length && head.to <= checkpoint.size;
  if (fits) {
    const whole = createFrontier(tree.subtrees());
    for (const [at, level] of levels.entries()) whole.push({ level, hash: Buffer.from(head.after[at] ?? '', 'hex') });
    if (sameHash(whole.root(), checkpoint.root)) return;
  }
  const message = 'entries, hashes or proof are not what was signed: the root of the checkpoint is another';
  say(problems, { kind: 'edited', from: head.from, to: head.to, message });
}

interface KeptCheck {
  readonly head: BundleHead;
  readonly checkpoint: SignedCheckpoint;
  readonly roots: ReadonlyMap<number, Uint8Array>;
  readonly problems: Problems;
}

function checkKept(kept: SignedCheckpoint, check: KeptCheck): KeptCheckpoint {
  const { size, root } = kept;
  const holds = holdsFor(kept, check);
  const where = 'kept-checkpoint';
  const { problems, checkpoint } = check;
  if (size > checkpoint.size) {
    const message = `a kept checkpoint counts ${size} entries, and the bundle's ${checkpoint.size}: the tail was cut`;
    problems.add({ where, kind: 'cut', from: checkpoint.size + 1, to: size, message, nextSteps: NEXT });
  } else if (holds === undefined) {
    const nextSteps = ['make a bundle that does: writ audit export --since FILE'];
    const message = `the bundle says nothing about the kept checkpoint over the first ${size} entries`;
    problems.add({ where, kind: 'missing', from: size, message, nextSteps });
  } else if (!holds) {
    const message = `a kept checkpoint over the first ${size} entries has another root: the history is another`;
    problems.add({ where, kind: 'forked', from: Math.min(1, size), to: size, message, nextSteps: NEXT });
  }
  return { size, root: Buffer.from(root).toString('hex'), holds: holds === true };
}

/** Undefined: the bundle does not lead there. */
function holdsFor({ size, root }: SignedCheckpoint, { head, checkpoint, roots }: KeptCheck): boolean | undefined {
  if (size > checkpoint.size) return false;
  if (size === checkpoint.size) return sameHash(root, checkpoint.root);
  const own = roots.get(size);
  if (own !== undefined) return sameHash(own, root);
  if (head.since?.size !== size) return undefined;
  const proof = head.since.proof.map((hash) => Buffer.from(hash, 'hex'));
  return isConsistent({ earlier: size, earlierRoot: root, size: checkpoint.size, root: checkpoint.root, proof });
}
