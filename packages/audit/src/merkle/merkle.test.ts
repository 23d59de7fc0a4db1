import { describe, expect, it } from 'vitest';
import { isConsistent, isIncluded } from './check-proofs.ts';
import { createFrontier, levelsBetween } from './frontier.ts';
import { emptyRoot, leafHash, nodeHash } from './hashing.ts';
import { consistencyProof, type HashReader, inclusionProof, rootAt, subtreesBetween } from './proofs.ts';
import { placeOf, storedCount } from './stored-hashes.ts';

/** The entries and roots that implementations of RFC 6962 are tested with. */
const ENTRIES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const hex = (hash: Uint8Array): string => Buffer.from(hash).toString('hex');

/** A tree in memory, with every hash where it belongs. */
function grow(leaves: readonly Uint8Array[]): { readonly read: HashReader; readonly roots: readonly Uint8Array[] } {
  const stored: Uint8Array[] = [];
  const frontier = createFrontier();
  const roots = [frontier.root()];
  for (const hash of leaves) {
    stored.push(...frontier.push({ level: 0, hash }));
    roots.push(frontier.root());
  }
  return {
    roots,
    read: async (level, index) => stored[placeOf(level, index)] ?? expect.fail(`nothing at ${level}/${index}`),
  };
}

/** The definition in RFC 6962, 2.1, as it stands there. */
function treeHash(leaves: readonly Uint8Array[]): Uint8Array {
  const [only] = leaves;
  if (only === undefined) return emptyRoot();
  if (leaves.length === 1) return only;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return nodeHash(treeHash(leaves.slice(0, split)), treeHash(leaves.slice(split)));
}

const MANY = Array.from({ length: 37 }, (_, at) => leafHash(`entry ${at}`));

describe('the tree of RFC 6962', () => {
  const leaves = ENTRIES.map((entry) => leafHash(Buffer.from(entry, 'hex')));

  it('has the roots of the known test vectors', () => {
    expect(hex(emptyRoot())).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(grow(leaves).roots.slice(1).map(hex)).toEqual(ROOTS);
  });

  it('gives the known proofs of inclusion and of consistency', async () => {
    const { read } = grow(leaves);
    expect((await inclusionProof(read, 0, 8)).map(hex)).toEqual([
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ]);
    expect((await consistencyProof(read, 6, 8)).map(hex)).toEqual([
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
  });

  it('has the root of its definition at every size, from the frontier and from what is stored', async () => {
    const { read, roots } = grow(MANY);
    for (let size = 0; size <= MANY.length; size++) {
      const wanted = hex(treeHash(MANY.slice(0, size)));
      expect(hex(roots[size] ?? emptyRoot())).toBe(wanted);
      expect(hex(await rootAt(read, size))).toBe(wanted);
    }
  });

  it('stores each hash once, one behind the other', () => {
    const places = new Set<number>();
    for (let level = 0; 2 ** level <= 37; level++) {
      for (let index = 0; (index + 1) * 2 ** level <= 37; index++) places.add(placeOf(level, index));
    }
    expect([...places].toSorted((a, b) => a - b)).toEqual(Array.from({ length: storedCount(37) }, (_, at) => at));
  });
});

describe('proofs', () => {
  it('hold for every entry of every size, and for no other entry, size or root', async () => {
    const { read, roots } = grow(MANY);
    const root = (size: number): Uint8Array => roots[size] ?? expect.fail('no root');
    for (let size = 1; size <= MANY.length; size++) {
      for (let index = 0; index < size; index++) {
        const proof = await inclusionProof(read, index, size);
        const claim = { index, leaf: MANY[index] ?? root(0), size, root: root(size), proof };
        expect(isIncluded(claim)).toBe(true);
        expect(isIncluded({ ...claim, leaf: leafHash('another') })).toBe(false);
        expect(isIncluded({ ...claim, root: root(size - 1) })).toBe(false);
        expect(isIncluded({ ...claim, proof: [...proof, leafHash('')] })).toBe(false);
        if (index > 0) expect(isIncluded({ ...claim, index: index - 1 })).toBe(false);
        if (proof.length > 0) expect(isIncluded({ ...claim, proof: proof.slice(1) })).toBe(false);
      }
    }
  });

  it('show that a tree only grew, for every pair of sizes, and nothing else', async () => {
    const { read, roots } = grow(MANY);
    const root = (size: number): Uint8Array => roots[size] ?? expect.fail('no root');
    for (let size = 1; size <= MANY.length; size++) {
      for (let earlier = 0; earlier <= size; earlier++) {
        const proof = await consistencyProof(read, earlier, size);
        const claim = { earlier, earlierRoot: root(earlier), size, root: root(size), proof };
        expect(isConsistent(claim)).toBe(true);
        if (earlier === 0) continue;
        expect(isConsistent({ ...claim, earlierRoot: leafHash('a fork') })).toBe(false);
        expect(isConsistent({ ...claim, root: leafHash('a fork') })).toBe(false);
        expect(isConsistent({ ...claim, proof: [...proof, leafHash('')] })).toBe(false);
        expect(isConsistent({ ...claim, proof: proof.slice(0, -1) })).toBe(proof.length === 0);
      }
    }
  });

  it('are refused for what is not there', async () => {
    const { read } = grow(MANY);
    await expect(inclusionProof(read, 5, 5)).rejects.toThrow(/no entry 5/);
    await expect(consistencyProof(read, 6, 5)).rejects.toThrow(/does not begin/);
    expect(isIncluded({ index: 0.5, leaf: leafHash(''), size: 1, root: leafHash(''), proof: [] })).toBe(false);
    expect(isIncluded({ index: 0, leaf: leafHash(''), size: Number.NaN, root: leafHash(''), proof: [] })).toBe(false);
  });

  it('of a stretch in the middle are the subtrees on both its sides', async () => {
    const { read, roots } = grow(MANY);
    for (const [from, to] of [
      [0, 37],
      [5, 6],
      [8, 24],
      [36, 37],
      [11, 11],
    ] as const) {
      const frontier = createFrontier(await subtreesBetween(read, 0, from));
      for (const hash of MANY.slice(from, to)) frontier.push({ level: 0, hash });
      for (const subtree of await subtreesBetween(read, to, 37)) frontier.push(subtree);
      expect(hex(frontier.root())).toBe(hex(roots[37] ?? emptyRoot()));
    }
    expect(levelsBetween(3, 8)).toEqual([0, 2]);
    expect(() => createFrontier([{ level: 0, hash: leafHash('') }]).push({ level: 1, hash: leafHash('') })).toThrow();
  });
});
