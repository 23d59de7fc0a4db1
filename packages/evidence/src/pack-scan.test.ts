import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { createSystemClock } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readBundleHeader } from './bundle-header.ts';
import { inOwnerRepository } from './owner-repository.ts';
import { scanPack } from './pack-scan.ts';
import { openQuarantine } from './quarantine.ts';
import { BUNDLE_LIMITS, createFixture, type Fixture } from './testing/fixture.ts';
import type { BundleLimits } from './types.ts';

const BLOB = 3;
const REF_DELTA = 7;

/** A pack entry whose head claims `size` bytes. */
function entry(type: number, size: number, content: Uint8Array, between: Uint8Array = new Uint8Array()): Buffer {
  const head: number[] = [];
  let [byte, left] = [(type << 4) | (size % 16), Math.floor(size / 16)];
  while (left > 0) {
    head.push(byte | 0x80);
    [byte, left] = [left % 128, Math.floor(left / 128)];
  }
  head.push(byte);
  return Buffer.concat([Buffer.from(head), between, deflateSync(content)]);
}

function pack(entries: readonly Buffer[], count = entries.length): Buffer {
  const head = Buffer.alloc(12);
  head.write('PACK');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(count, 8);
  const body = Buffer.concat([head, ...entries]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

describe('a bundle before git sees it', () => {
  const limits: BundleLimits = { ...BUNDLE_LIMITS, maxObjects: 10, maxObjectBytes: 1000, maxUnpackedBytes: 1500 };
  const scan = (bytes: Buffer, more: Partial<BundleLimits> = {}) =>
    scanPack(bytes, 20, { ...limits, ...more }, createSystemClock());

  it('is let through where it keeps to its limits', async () => {
    await scan(pack([]));
    await scan(
      pack([
        entry(BLOB, 5, Buffer.from('hello')),
        entry(BLOB, 1000, Buffer.alloc(1000)),
        entry(BLOB, 0, Buffer.alloc(0)),
      ]),
    );
  });

  it('is refused as a bomb: one to a thousand, many small ones, a delta that grows', async () => {
    const bomb = entry(BLOB, 10_000_000, Buffer.alloc(10_000_000));
    expect(bomb.length).toBeLessThan(10_100);
    await expect(scan(pack([bomb]))).rejects.toThrow('an object of more than 1000 bytes');
    // One that lies about its size is not unpacked further than it says.
    await expect(scan(pack([entry(BLOB, 10, Buffer.alloc(10_000_000))]))).rejects.toThrow('an object in it is broken');
    const some = Array.from({ length: 3 }, () => entry(BLOB, 600, Buffer.alloc(600)));
    await expect(scan(pack(some))).rejects.toThrow('it unpacks to more than 1500 bytes');
    await expect(scan(pack(Array.from({ length: 11 }, () => entry(BLOB, 0, Buffer.alloc(0)))))).rejects.toThrow(
      'more than 10 objects',
    );
    // Base of 1 byte, result of 2^28 bytes.
    const grows = Buffer.from([1, 0x80, 0x80, 0x80, 0x80, 0x01, 0x91, 0, 1]);
    const delta = entry(REF_DELTA, grows.length, grows, Buffer.alloc(20));
    await expect(scan(pack([delta]))).rejects.toThrow('an object of more than 1000 bytes');
    await expect(scan(pack([]), { timeoutMs: -1 })).resolves.toBeUndefined();
    await expect(scan(pack(some.slice(1)), { timeoutMs: -1 })).rejects.toThrow('it takes too long');
  });

  it('is refused where it is cut off, longer than it says, or no pack', async () => {
    const good = pack([entry(BLOB, 5, Buffer.from('hello'))]);
    for (let length = 0; length < good.length; length++) {
      await expect(scan(good.subarray(0, length)), `${length}`).rejects.toMatchObject({ code: 'EVIDENCE_INVALID' });
    }
    const broken = [
      pack([Buffer.from('more')], 0),
      pack([entry(BLOB, 5, Buffer.from('hello'))], 2),
      pack([entry(0, 5, Buffer.from('hello'))]),
      pack([entry(5, 5, Buffer.from('hello'))]),
      pack([Buffer.alloc(30, 0xff)]),
      Buffer.alloc(100),
    ];
    for (const bytes of broken) await expect(scan(bytes)).rejects.toMatchObject({ code: 'EVIDENCE_INVALID' });
  });

  it('has a header that is read strictly', () => {
    const id = 'a'.repeat(40);
    const read = (text: string) => readBundleHeader(Buffer.from(text));
    expect(read(`# v2 git bundle\n-${id} subject\n${id} refs/writ/head\n\nPACK`)).toEqual({
      objectFormat: 'sha1',
      prerequisites: [id],
      refs: [{ id, name: 'refs/writ/head' }],
      packAt: 123,
    });
    expect(read(`# v3 git bundle\n@object-format=sha256\n${'b'.repeat(64)} x\n\n`).objectFormat).toBe('sha256');
    for (const bad of [
      '',
      '# v1 git bundle\n\n',
      `# v2 git bundle\n${id} x\n`,
      '# v2 git bundle\nnonsense\n\n',
      `# v3 git bundle\n@filter=blob:none\n${id} x\n\n`,
      `# v2 git bundle\n@object-format=sha1\n${id} x\n\n`,
      `# v2 git bundle\n${'b'.repeat(64)} x\n\n`,
      `# v2 git bundle\n${`-${id}\n`.repeat(2000)}\n`,
    ]) {
      expect(() => read(bad), bad.slice(0, 40)).toThrow(expect.objectContaining({ code: 'EVIDENCE_INVALID' }));
    }
  });
});

describe('a bundle in quarantine', () => {
  let f: Fixture;
  beforeEach(() => {
    f = createFixture();
    f.write(f.owner, { a: 'a' });
    f.commit(f.owner);
    mkdirSync(f.work);
  });
  afterEach(() => f.remove());

  const open = (bundleFile: string) =>
    inOwnerRepository(f.gitWork, f.owner, { code: 'GIT_FAILED', timeoutMs: 60_000 }, (owner) =>
      openQuarantine(f.gitWork, { bundleFile, owner, limits: BUNDLE_LIMITS }),
    );
  const bundled = (...refs: string[]): string => {
    const file = join(f.root, 'made.bundle');
    f.git(f.work, 'bundle', 'create', '--quiet', file, ...refs);
    return file;
  };

  it('is refused with other refs than the one', async () => {
    f.git(f.work, 'init', '--quiet', '--initial-branch=main');
    f.write(f.work, { b: 'b' });
    const id = f.commit(f.work);
    await expect(open(bundled('main'))).rejects.toThrow('it is not about refs/writ/head alone');
    f.git(f.work, 'update-ref', 'refs/writ/head', id);
    await expect(open(bundled('refs/writ/head', 'main'))).rejects.toThrow('it is not about refs/writ/head alone');
    const good = await open(bundled('refs/writ/head'));
    expect(good.head).toBe(id);
    await good.git.remove();
  });

  it('is refused with any one bit of its pack flipped, also where nobody knows its digest', async () => {
    f.git(f.work, 'init', '--quiet', '--initial-branch=main');
    f.write(f.work, { b: 'b'.repeat(300), 'c/d': 'd' });
    f.git(f.work, 'update-ref', 'refs/writ/head', f.commit(f.work));
    const bytes = readFileSync(bundled('refs/writ/head'));
    const { packAt } = readBundleHeader(bytes);
    const count = Number(process.env.WRIT_TEST_BUNDLE_FLIPS ?? 40);
    const step = Math.max(1, Math.floor(((bytes.length - packAt) * 8) / count));
    const file = join(f.root, 'flipped');
    for (let bit = packAt * 8; bit < bytes.length * 8; bit += step) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      writeFileSync(file, flipped);
      await expect(open(file), `bit ${bit}`).rejects.toMatchObject({ code: 'EVIDENCE_INVALID' });
    }
  }, 300_000);

  it('is refused with a tree that holds `.git`, a head that is no commit, or an object that is missing', async () => {
    f.git(f.work, 'init', '--quiet', '--initial-branch=main');
    f.write(f.work, { b: 'b' });
    const id = f.commit(f.work);
    const blob = f.git(f.work, 'rev-parse', 'HEAD:b');
    const raw = Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')]);
    writeFileSync(join(f.root, 'tree'), raw);
    const tree = f.git(f.work, 'hash-object', '-t', 'tree', '-w', '--literally', join(f.root, 'tree'));
    const evil = f.git(f.work, 'commit-tree', '-m', 'evil', tree);
    f.git(f.work, 'update-ref', 'refs/writ/head', evil);
    await expect(open(bundled('refs/writ/head'))).rejects.toMatchObject({
      code: 'EVIDENCE_INVALID',
      details: { step: 'unpack' },
    });
    f.git(f.work, 'update-ref', 'refs/writ/head', blob);
    await expect(open(bundled('refs/writ/head'))).rejects.toMatchObject({ code: 'EVIDENCE_INVALID' });
    // A bundle that says less than it holds back: its prerequisite is cut out of the header.
    f.write(f.work, { c: 'c' });
    f.git(f.work, 'update-ref', 'refs/writ/head', f.commit(f.work));
    const thin = f.git(f.work, 'bundle', 'create', '--quiet', join(f.root, 'thin'), 'refs/writ/head', `^${id}`);
    expect(thin).toBe('');
    await expect(open(join(f.root, 'thin'))).rejects.toMatchObject({ code: 'CONFLICT' });
    const bytes = readFileSync(join(f.root, 'thin'));
    const from = bytes.indexOf('-');
    writeFileSync(
      join(f.root, 'lying'),
      Buffer.concat([bytes.subarray(0, from), bytes.subarray(bytes.indexOf('\n', from) + 1)]),
    );
    await expect(open(join(f.root, 'lying'))).rejects.toMatchObject({ code: 'EVIDENCE_INVALID' });
  });

  describe('with a tree that is a bomb', () => {
    const tree = (entries: readonly (readonly [mode: string, name: string, id: string])[]): Buffer =>
      Buffer.concat(entries.flatMap(([mode, name, id]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]));
    const idOf = (type: string, content: Buffer): string =>
      createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');
    /** A bundle of one commit: a blob, then trees, each made of the id of what was made before it. */
    const bomb = (blob: Buffer, levels: number, level: (below: string, at: number) => Buffer): string => {
      const objects: [number, Buffer][] = [[BLOB, blob]];
      let below = idOf('blob', blob);
      for (let at = 0; at < levels; at++) {
        const content = level(below, at);
        objects.push([2, content]);
        below = idOf('tree', content);
      }
      const who = 'a <a@example.org> 1700000000 +0000';
      const commit = Buffer.from(`tree ${below}\nauthor ${who}\ncommitter ${who}\n\nbomb\n`);
      objects.push([1, commit]);
      const packed = pack(objects.map(([type, content]) => entry(type, content.length, content)));
      const file = join(f.root, 'bomb.bundle');
      const head = Buffer.from(`# v2 git bundle\n${idOf('commit', commit)} refs/writ/head\n\n`);
      writeFileSync(file, Buffer.concat([head, packed]));
      return file;
    };
    const names = Array.from({ length: 10 }, (_, at) => String(at));

    it('is refused where eleven objects stand for ten thousand million files', async () => {
      const file = bomb(Buffer.from('x'), 10, (below, at) =>
        tree(names.map((name) => [at === 0 ? '100644' : '40000', name, below])),
      );
      await expect(open(file)).rejects.toThrow(
        'step `inspect`: its head cannot be listed, or holds more than 10000 files',
      );
    });

    it('is refused where one file stands there too often, and taken where it does not', async () => {
      const file = bomb(Buffer.alloc(6_000_000), 1, (below) => tree(names.map((name) => ['100644', name, below])));
      await expect(open(file)).rejects.toThrow('the same content so often that it takes more than 50000000 bytes');
      const good = await open(
        bomb(Buffer.alloc(4_000_000), 1, (below) => tree(names.map((name) => ['100644', name, below]))),
      );
      await good.git.remove();
    });

    it('is refused where its folders go deeper than any path', async () => {
      const file = bomb(Buffer.from('x'), 2_500, (below, at) => tree([[at === 0 ? '100644' : '40000', 'd', below]]));
      await expect(open(file)).rejects.toThrow('a path of more than 4096 bytes');
    });
  });
});
