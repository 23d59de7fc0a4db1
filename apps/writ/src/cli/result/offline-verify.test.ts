import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stockConfig } from '@writ/policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readOfflineTrust } from '../../lifecycle/offline-trust.ts';
import { type FakeNode, startFakeNode } from '../testing/fake-node.ts';
import { changed, childOf, createSignedResults, digestOf, type SignedResults } from '../testing/signed-results.ts';

let node: FakeNode;
let nodes: SignedResults;
let dir: string;
/** What the node has, by digest. */
let content: Map<string, Buffer>;

beforeEach(async () => {
  node = await startFakeNode();
  nodes = await createSignedResults(node.home);
  dir = join(node.home.root, 'result');
  content = new Map();
  node.answers.task_content = ({ sha256 }) => {
    const bytes = content.get(String(sha256)) ?? Buffer.alloc(0);
    const half = Math.ceil(bytes.length / 2);
    return [0, half].map((offset) => ({
      offset,
      data: bytes.subarray(offset, offset === 0 ? half : undefined).toString('base64'),
    }));
  };
});
afterEach(() => node.stop());

function keep(text: string): { readonly sha256: string; readonly bytes: number } {
  const stored = digestOf(text);
  content.set(stored.sha256, Buffer.from(text));
  return stored;
}

/** alpha asked beta, which passed a part on to gamma; the node has everything of it. */
function serve(): void {
  const below = nodes.sign([nodes.alpha, nodes.beta, nodes.gamma]);
  const changes = changed('the bundle', 'the patch');
  keep('the bundle');
  keep('the patch');
  const artifacts = [
    { name: '../../../escaped', ...keep('one') },
    { name: 'same', ...keep('one') },
  ];
  const signed = nodes.sign([nodes.alpha, nodes.beta], { changes, artifacts, children: [childOf(below)] });
  for (const { sha256, envelope } of [signed, below]) content.set(sha256, Buffer.from(envelope));
  node.answers.result = () => ({ sha256: signed.sha256, changes: {} });
}

const save = () => node.writ('task', 'result', 'task-1', '--out', dir);

const filesOf = (): readonly string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .sort();

describe('writ task result --out', () => {
  it('writes everything, and no name of a task becomes a path', async () => {
    serve();
    const saved = await save();
    expect(saved.code, saved.err).toBe(0);
    expect(filesOf()).toEqual([
      `artifacts/${digestOf('one').sha256}`,
      'bundle',
      'changes.patch',
      expect.stringMatching(/^children\/[0-9a-f]{64}\.dsse\.json$/),
      'result.dsse.json',
      'result.v1.json',
    ]);
    expect(saved.out).toContain(`artifact \`../../../escaped\` is artifacts/${digestOf('one').sha256}`);
    expect(JSON.parse(readFileSync(join(dir, 'result.v1.json'), 'utf8'))).toMatchObject({ version: 1, task: 'task-1' });
  });

  it('writes into no folder that holds something', async () => {
    serve();
    mkdirSync(dir);
    writeFileSync(join(dir, 'mine'), 'x');
    expect(await save()).toMatchObject({ code: 2, err: expect.stringContaining('CONFLICT') });
    expect(filesOf()).toEqual(['mine']);
  });

  it('takes nothing that is not what it is called, and leaves nothing of it', async () => {
    serve();
    content.set(digestOf('the bundle').sha256, Buffer.from('another bundle'));
    expect(await save()).toMatchObject({ code: 7, err: expect.stringContaining('EVIDENCE_INVALID') });
    expect(readdirSync(node.home.root)).not.toContain('result');
  });
});

describe('writ verify of a folder', () => {
  beforeEach(async () => {
    serve();
    await save();
    await node.writ('status');
    node.calls.length = 0;
  });

  it('says what was checked, who stands for it and what that proves, without a node', async () => {
    const done = await node.writ('verify', dir);
    expect(done.code, done.err).toBe(0);
    expect(done.out).toContain(`verified: the result of task task-1 by ${nodes.beta.public.id}, completed\npinned\n`);
    expect(done.out).toContain('digests: bundle, patch, 2 artifacts, result.v1.json');
    expect(done.out).toContain('1 nested result, each with its own signature and chain');
    expect(done.out).toContain('it proves who wrote it, not that it is true');
    expect(done.out).not.toContain('not checked');
    expect(node.calls).toEqual([]);
  });

  it('refuses one byte more or another one in any file, terabytes without reading them, and a file that is gone', async () => {
    for (const file of filesOf()) {
      const path = join(dir, file);
      const before = readFileSync(path);
      appendFileSync(path, ' ');
      expect((await node.writ('verify', dir)).code, `${file} changed`).toBe(7);
      if (file !== 'result.dsse.json') {
        const changed = Buffer.from(before);
        changed[0] = (changed[0] ?? 0) ^ 1;
        writeFileSync(path, changed);
        expect((await node.writ('verify', dir)).code, `${file} of the same size`).toBe(7);
        truncateSync(path, 2 ** 42);
        expect((await node.writ('verify', dir)).code, `${file} huge`).toBe(7);
        rmSync(path);
        expect((await node.writ('verify', dir)).code, `${file} gone`).toBe(7);
      }
      writeFileSync(path, before);
    }
    expect((await node.writ('verify', dir)).code).toBe(0);
  });

  it('says of a file that is none what to name', async () => {
    const path = join(dir, 'other.txt');
    mkdirSync(dir, { recursive: true });
    writeFileSync(path, 'no envelope\n');
    const { code, err } = await node.writ('verify', path);
    expect(code).toBe(7);
    expect(err).toContain('→ name an envelope, or a folder that writ task result --out wrote');
  });

  it('points at what is no part of it', async () => {
    writeFileSync(join(dir, 'artifacts', 'install.sh'), 'x');
    const { not_checked } = JSON.parse((await node.writ('verify', dir, '--json')).out);
    expect(not_checked).toEqual(['`artifacts/install.sh`: nobody signed it: it is no part of the result']);
    const told = await node.writ('verify', dir);
    expect(told.code).toBe(1);
    expect(told.err).toContain('warning: nobody signed `artifacts/install.sh`');
  });

  it('needs the signer to be known: a node that trusts neither refuses', async () => {
    rmSync(node.home.pinsDir, { recursive: true });
    rmSync(node.home.keysDir, { recursive: true });
    writeFileSync(node.home.configFile, '', { mode: 0o600 });
    expect(await node.writ('verify', dir)).toMatchObject({ code: 2, err: expect.stringContaining('NOT_INITIALIZED') });
    await createSignedResults({ ...node.home, dataDir: join(node.home.root, 'other'), pinsDir: node.home.pinsDir });
    expect(await node.writ('verify', dir)).toMatchObject({ code: 7, err: expect.stringContaining('is not pinned') });
  });
});

describe('writ verify without a node', () => {
  beforeEach(async () => {
    serve();
    await save();
    for (const made of [node.home.pinsDir, node.home.keysDir]) rmSync(made, { recursive: true });
    node.calls.length = 0;
  });

  it('checks all but who signed, and does not take that for enough', async () => {
    const done = await node.writ('verify', dir);
    expect(done.code, done.err).toBe(1);
    expect(done.out).toContain(`by ${nodes.beta.public.id}, completed\nnot pinned\n`);
    expect(done.out).toContain('digests: bundle, patch, 2 artifacts, result.v1.json');
    expect(done.out).toContain('1 nested result, each with its own signature and chain');
    expect(done.out).toMatch(/not checked {2}identity: \S+ is not pinned, and nobody named it/);
    expect(done.out).not.toMatch(/ checked {6}identity/);
    expect(done.out).toContain('it proves that whoever has its key wrote it: not who that is');
    expect(done.err).toContain('--signer NODE-ID');
    writeFileSync(join(dir, 'bundle'), 'another');
    expect((await node.writ('verify', dir)).code).toBe(7);
    expect(node.calls).toEqual([]);
  });

  it('takes the node that is named, and no other', async () => {
    const done = await node.writ('verify', dir, '--signer', nodes.beta.public.id.toUpperCase());
    expect(done.code, done.err).toBe(0);
    expect(done.out).toContain('\nnot pinned, but named\n');
    expect(done.out).toContain(`identity: ${nodes.beta.public.id} is the node that was named`);
    const other = await node.writ('verify', dir, '--signer', nodes.gamma.public.id);
    expect(other).toMatchObject({ code: 7, err: expect.stringContaining(`and not of \`${nodes.gamma.public.id}\``) });
    expect(await node.writ('verify', dir, '--signer', 'beta')).toMatchObject({
      code: 2,
      err: expect.stringContaining('`beta` is no node id'),
    });
    expect(await node.writ('verify', 'task-1', '--signer', nodes.beta.public.id)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--signer is about a file or a folder'),
    });
  });

  it('believes no envelope that says it is of another node than its key', async () => {
    const file = join(dir, 'result.dsse.json');
    const envelope = JSON.parse(readFileSync(file, 'utf8'));
    const text = Buffer.from(envelope.payload, 'base64').toString('utf8');
    const { alpha, beta } = nodes;
    const changed = text.replaceAll(`"node":"${beta.public.id}"`, `"node":"${alpha.public.id}"`);
    expect(changed).not.toBe(text);
    writeFileSync(file, JSON.stringify({ ...envelope, payload: Buffer.from(changed).toString('base64') }));
    expect((await node.writ('verify', file, '--signer', alpha.public.id)).code).toBe(7);
    expect((await node.writ('verify', file)).code).toBe(7);
  });
});

describe('writ verify of a file', () => {
  const write = (envelope: Uint8Array): string => {
    const path = join(node.home.root, 'one.dsse.json');
    writeFileSync(path, envelope);
    return path;
  };

  it('checks the envelope, and says what it does not hold', async () => {
    const changes = changed('b', 'p');
    const path = write(nodes.sign([nodes.alpha, nodes.beta], { changes }).envelope);
    const answer = JSON.parse((await node.writ('verify', path, '--json')).out);
    expect(answer).toMatchObject({ standing: 'pinned', task: 'task-1' });
    expect(answer.not_checked).toEqual([
      'bundle: an envelope alone does not hold it',
      'patch: an envelope alone does not hold it',
    ]);
  });

  it('is vouched for by the peer that passed the work on, by its label', async () => {
    const peer = `\n[peers.beta]\nid = "${nodes.beta.public.id}"\nprofiles = []\nworkspaces = []\n`;
    const config = stockConfig({ nodeName: 'alpha', listen: undefined, workspaces: [], isolation: 'none' });
    writeFileSync(node.home.configFile, `${config}${peer}`, { mode: 0o600 });
    const done = await node.writ('verify', write(nodes.sign([nodes.alpha, nodes.beta, nodes.gamma]).envelope));
    expect(done.out, done.err).toContain('\nvouched by beta\n');
    expect(done.out).toContain('is not pinned here; a writ of this node leads to it');
  });

  it('reads names as a start reads them, so that no pipe in their place holds it up', async () => {
    const peer = `\n[peers.beta]\nid = "${nodes.beta.public.id}"\nprofiles = []\nworkspaces = []\n`;
    const config = stockConfig({ nodeName: 'alpha', listen: undefined, workspaces: [], isolation: 'none' });
    const label = async () =>
      (await readOfflineTrust(node.home, { taskAccess: undefined })).labelOf(nodes.beta.public.id);
    writeFileSync(node.home.configFile, `${config}${peer}`, { mode: 0o600 });
    expect(await label()).toBe('beta');
    // What would be too large for a start is not read here either.
    writeFileSync(node.home.configFile, `${config}${peer}${'#\n'.repeat(1024 * 1024)}`);
    expect(await label()).toBe(nodes.beta.public.id);
  });

  it('says where this node had no part', async () => {
    const done = await node.writ('verify', write(nodes.sign([nodes.gamma, nodes.beta]).envelope));
    expect(done.out).toContain('not checked  who asked: this node is no part of its chain');
  });

  it('refuses a signer who is neither pinned nor vouched for, and what is no envelope', async () => {
    for (const bytes of [nodes.sign([nodes.beta, nodes.gamma]).envelope, Buffer.from('{}'), Buffer.from([0xff])]) {
      const done = await node.writ('verify', write(bytes), '--json');
      expect(done.code).toBe(7);
      expect(JSON.parse(done.out)).toMatchObject({ error: { code: 'EVIDENCE_INVALID' } });
    }
    expect(await node.writ('verify', './nothing.json')).toMatchObject({ code: 2 });
  });

  it('is not for a process that belongs to a task', async () => {
    const access = { taskAccess: { socket: 's', token: 't' } };
    await expect(readOfflineTrust(node.home, access)).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
  });
});
