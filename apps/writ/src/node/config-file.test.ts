import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, createSystemClock, createSystemRandom, sha256Hex, silentLogger } from '@writ/core';
import { createPolicyEngine, type PolicyEngine, type ReloadOutcome } from '@writ/policy';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BuiltThread, buildPolicyThread } from '../testing/built-thread.ts';
import { digestAccepted } from './accepted-policy.ts';
import { createConfigFile, type NodeConfigFile } from './config-file.ts';
import { createPolicyCompiler, type NodePolicyCompiler } from './policy-compiler.ts';

const TEXT = `schema = 1
# kept
[node]
name = "box"
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
[workspaces.app]
path = "."
[self]
profiles = ["query"]
workspaces = ["app"]
`;
const NARROWER = TEXT.replace('"inspect_status"', '');
const BROKEN = TEXT.replace('"shell"', '"nobody"');
const WIDER = TEXT.replace('"inspect_status"', '"inspect_status", "read_repo"');

/** Large enough for a thread of its own. */
const large = (text: string): string => `${text}${'# long\n'.repeat(5000)}`;

let thread: BuiltThread;
beforeAll(async () => {
  thread = await buildPolicyThread();
});
afterAll(() => thread.remove());

let dir: string;
let path: string;
let engine: PolicyEngine;
let file: NodeConfigFile;
let outcomes: { outcome: ReloadOutcome; how: string }[];
let arrived: () => void;
let beforeCompile: (text: string) => Promise<void>;
/** Told when the node rests, with for how long. */
let rests: (delayMs: number) => void;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-config-'));
  path = join(dir, 'writ.toml');
  writeFileSync(path, TEXT, { mode: 0o600 });
  rests = () => undefined;
  const system = createSystemClock();
  const clock: Clock = {
    ...system,
    setTimer(delayMs, fn) {
      rests(delayMs);
      return system.setTimer(delayMs, fn);
    },
  };
  const real = createPolicyCompiler({ script: thread.script, clock });
  beforeCompile = async () => undefined;
  const compiler: NodePolicyCompiler = {
    ...real,
    async compile(text) {
      await beforeCompile(text);
      return real.compile(text);
    },
  };
  engine = createPolicyEngine({ text: TEXT, compile: compiler.compile, clock, selfId: 'wn-self' });
  outcomes = [];
  arrived = () => undefined;
  file = createConfigFile({
    path,
    engine,
    compiler,
    clock,
    random: createSystemRandom(),
    logger: silentLogger,
    async onReload(_, outcome, how) {
      outcomes.push({ outcome, how });
      arrived();
    },
  });
});
afterEach(async () => {
  await file.close();
  rmSync(dir, { recursive: true, force: true });
});

/** The next reload of the watcher. */
const reloaded = (): Promise<void> =>
  new Promise((resolve) => {
    arrived = resolve;
  });

function replaceFile(text: string): void {
  writeFileSync(join(dir, 'new'), text, { mode: 0o600 });
  renameSync(join(dir, 'new'), path);
}

it('is ready for a change of a person where none waits and the text loads, and says otherwise what mends it', async () => {
  await file.ready();
  replaceFile(WIDER);
  await expect(file.ready()).rejects.toMatchObject({
    ...{ code: 'CONFLICT', nextSteps: ['writ policy status', 'writ policy reload --accept'] },
  });
  replaceFile(BROKEN);
  await expect(file.ready()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  replaceFile(TEXT);
  await file.reload({ accept: true });
  await file.ready();
});

describe('what an approver said yes to', () => {
  const yes = (text: string, over = engine.acceptedTexts()) => ({
    text: sha256Hex(text),
    accepted: digestAccepted(over),
  });

  it('is in force where it is what is loaded, over what was accepted then', async () => {
    replaceFile(WIDER);
    await file.reload({ accept: false });
    expect(engine.status().parked).toHaveLength(2);
    expect(await file.accept(yes(WIDER))).toBe(true);
    expect(engine.status().parked).toBeUndefined();
    expect(outcomes.at(-1)?.how).toBe('approved');
  });

  it('is not, where something else is loaded or accepted by then', async () => {
    replaceFile(WIDER);
    await file.reload({ accept: false });
    expect([await file.accept(yes(TEXT)), await file.accept(yes(WIDER, []))]).toEqual([false, false]);
    expect(engine.status().parked).toHaveLength(2);
    replaceFile(BROKEN);
    await file.reload({ accept: false });
    expect(await file.accept(yes(WIDER))).toBe(false);
    expect(engine.status().parked).toHaveLength(2);
  });
});

describe('the watcher', () => {
  it('sees an atomic rename', async () => {
    const seen = reloaded();
    replaceFile(NARROWER);
    await seen;
    expect(outcomes).toMatchObject([{ how: 'watcher', outcome: { reloaded: true, generation: 2 } }]);
  });

  it('sees a file that is written in place', async () => {
    const seen = reloaded();
    writeFileSync(path, NARROWER);
    await seen;
    expect(engine.snapshot().config.profiles.get('query')?.capabilities).toEqual([]);
  });

  it('never accepts what gives more', async () => {
    const seen = reloaded();
    replaceFile(WIDER);
    await seen;
    expect(outcomes[0]?.outcome.parked).not.toHaveLength(0);
  });

  it('keeps the last good policy when the file is broken', async () => {
    const seen = reloaded();
    replaceFile(BROKEN);
    await seen;
    expect(outcomes[0]?.outcome).toMatchObject({ reloaded: false, generation: 1 });
    expect(engine.snapshot().generation).toBe(1);
  });
});

describe('a file that is written in place, in pieces', () => {
  /** A text that loads, and in which nobody may do anything. */
  const FIRST = TEXT.slice(0, TEXT.indexOf('[self]'));
  const REST = TEXT.slice(FIRST.length);
  /** When the node waits for more. */
  const waited = (): Promise<void> =>
    new Promise((resolve) => {
      rests = (delayMs) => delayMs > 100 && resolve();
    });

  it('takes nothing away before it is whole', async () => {
    const waits = waited();
    writeFileSync(path, FIRST);
    await Promise.race([waits, reloaded()]);
    const seen = reloaded();
    appendFileSync(path, `${REST}# more\n`);
    await seen;
    expect(outcomes).toMatchObject([{ how: 'watcher', outcome: { reloaded: true, generation: 2 } }]);
    expect(engine.snapshot().config.self.profiles).toEqual(['query']);
    expect(engine.status().parked).toBeUndefined();
  });

  it('is no ground for an edit before that', async () => {
    const waits = waited();
    writeFileSync(path, FIRST);
    const edited = file.takeAway((text) => `${text}# mine\n`);
    await Promise.race([waits, edited]);
    appendFileSync(path, REST);
    await edited;
    expect(readFileSync(path, 'utf8')).toBe(`${TEXT}# mine\n`);
    expect(engine.status().parked).toBeUndefined();
  });

  it('is read as it is at once where a person says so', async () => {
    writeFileSync(path, FIRST);
    const began = waited().then(() => 'waited');
    expect(await Promise.race([began, file.reload({ accept: false })])).toMatchObject({ reloaded: true });
    expect(engine.snapshot().config.self.profiles).toEqual([]);
  });
});

describe('a file that cannot be read while a node runs', () => {
  const gone = (): void => rmSync(path, { recursive: true, force: true });

  it.each<[string, () => void]>([
    ['is taken away', () => undefined],
    ['is a folder', () => mkdirSync(path)],
    ['is too large', () => writeFileSync(path, '#'.repeat(3 * 1024 * 1024))],
  ])('%s: the status says so, until it is back as it was', async (_, make) => {
    gone();
    make();
    const before = engine.snapshot();
    await vi.waitFor(() => expect(engine.status().lastError?.unreadable).toContain('cannot read'));
    expect(engine.snapshot()).toBe(before);
    const seen = reloaded();
    gone();
    replaceFile(TEXT);
    await seen;
    expect(engine.status().lastError).toBeUndefined();
  });

  it('says so after a reload by hand too', async () => {
    rmSync(path);
    await expect(file.reload({ accept: true })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(engine.status().lastError).toMatchObject({ violations: [], unreadable: expect.stringContaining('ENOENT') });
  });
});

describe('a storm of changes', () => {
  it('ends with what the file says last', async () => {
    for (let at = 0; at < 500; at++) {
      replaceFile(at % 2 === 0 ? NARROWER : `${TEXT}# ${at}\n`);
      if (at % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    replaceFile(NARROWER.replace('"box"', '"last"'));
    await vi.waitFor(() => expect(engine.snapshot().config.node.name).toBe('last'));
    expect(engine.status().lastError).toBeUndefined();
  });

  it('is read while it still goes on', async () => {
    let isOver = false;
    const storm = (async () => {
      for (let at = 0; !isOver; at++) {
        replaceFile(`${TEXT}# ${at}\n`);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await reloaded();
    isOver = true;
    await storm;
    expect(engine.snapshot().generation).toBeGreaterThan(1);
  });
});

describe('a file that is no plain one', () => {
  it.each<[string, () => void]>([
    ['a pipe', () => execFileSync('mkfifo', [path])],
    ['a folder', () => mkdirSync(path)],
    ['a huge one', () => writeFileSync(path, '#'.repeat(10 * 1024 * 1024))],
    ['none', () => undefined],
  ])('%s is refused at once, and the policy stays', async (_, make) => {
    rmSync(path);
    make();
    await expect(file.reload({ accept: false })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(engine.snapshot().generation).toBe(1);
  });
});

describe('an edit', () => {
  it('is in force and in the file, with its comments', async () => {
    const { generation } = await file.edit((text) => text.replace('name = "box"', 'name = "crate"'));
    expect(generation).toBe(2);
    expect(readFileSync(path, 'utf8')).toBe(TEXT.replace('"box"', '"crate"'));
  });

  it('goes where a link leads, and leaves the link', async () => {
    const kept = join(dir, 'kept.toml');
    renameSync(path, kept);
    symlinkSync('kept.toml', path);
    await file.edit((text) => `${text}# mine\n`);
    await file.takeAway((text) => `${text}# more\n`);
    expect(readlinkSync(path)).toBe('kept.toml');
    expect(readFileSync(kept, 'utf8')).toBe(`${TEXT}# mine\n# more\n`);
    await expect(file.edit(() => BROKEN)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(readlinkSync(path)).toBe('kept.toml');
  });

  it('that does not load changes neither the file nor the policy', async () => {
    await expect(file.edit(() => BROKEN)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(readFileSync(path, 'utf8')).toBe(TEXT);
    expect(engine.snapshot().generation).toBe(1);
  });

  it('is no way to accept what somebody else wrote into the file', async () => {
    const seen = reloaded();
    replaceFile(WIDER);
    await seen;
    await expect(file.edit((text) => `${text}# mine\n`)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(engine.status().parked).not.toHaveLength(0);
  });

  it('is no way either when the watcher has not seen it yet', async () => {
    writeFileSync(path, WIDER);
    await expect(file.edit((text) => `${text}# mine\n`)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(readFileSync(path, 'utf8')).toBe(WIDER);
  });

  it('that takes away needs no yes and accepts none of what waits', async () => {
    const seen = reloaded();
    replaceFile(WIDER);
    await seen;
    await file.takeAway((text) => text.replace('workspaces = ["app"]', 'workspaces = []'));
    expect(engine.snapshot().config.self.workspaces).toEqual([]);
    expect(engine.status().parked).not.toHaveLength(0);
    expect(readFileSync(path, 'utf8')).toContain('workspaces = []');
  });

  it('begins again from what somebody saves while it is checked', async () => {
    const change = (text: string): string => `${text}# mine\n`;
    const edits = [() => file.edit(change), () => file.takeAway(change), () => file.propose(change, { dryRun: false })];
    for (const [at, edit] of edits.entries()) {
      const theirs = NARROWER.replace('# kept', `# theirs ${at}`);
      writeFileSync(path, TEXT);
      await file.reload({ accept: true });
      beforeCompile = async (text) => {
        if (!text.endsWith('# mine\n')) return;
        replaceFile(theirs);
        beforeCompile = async () => undefined;
      };
      await edit();
      expect(readFileSync(path, 'utf8')).toBe(`${theirs}# mine\n`);
      expect(engine.snapshot().config.profiles.get('query')?.capabilities).toEqual([]);
    }
  });

  it('accepts nothing that somebody saves while it is checked', async () => {
    beforeCompile = async (text) => {
      if (text.endsWith('# mine\n')) replaceFile(WIDER);
    };
    await expect(file.edit((text) => `${text}# mine\n`)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(readFileSync(path, 'utf8')).toBe(WIDER);
    expect(engine.snapshot().config.profiles.get('query')?.capabilities).toEqual(['inspect_status']);
  });

  it('gives way to somebody who does not stop', async () => {
    let saved = '';
    beforeCompile = async (text) => {
      if (!text.endsWith('# mine\n')) return;
      saved = `${readFileSync(path, 'utf8')}# theirs\n`;
      replaceFile(saved);
    };
    await expect(file.takeAway((text) => `${text}# mine\n`)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(readFileSync(path, 'utf8')).toBe(saved);
  });

  it('builds on the edit before it', async () => {
    await Promise.all([
      file.edit((text) => text.replace('name = "box"', 'name = "box1"')),
      file.edit((text) => `${text}# end\n`),
    ]);
    expect(readFileSync(path, 'utf8')).toBe(`${TEXT.replace('"box"', '"box1"')}# end\n`);
  });
});

describe('a large file', () => {
  it('is in force after a reload, or leaves the last good policy with every violation', async () => {
    writeFileSync(path, large(NARROWER));
    expect(await file.reload({ accept: false })).toMatchObject({ reloaded: true, generation: 2 });
    expect(engine.snapshot().config.profiles.get('query')?.capabilities).toEqual([]);
    writeFileSync(path, large(BROKEN));
    const line = BROKEN.split('\n').indexOf('runner = "nobody"') + 1;
    expect(await file.reload({ accept: false })).toMatchObject({
      reloaded: false,
      generation: 2,
      violations: [{ code: 'UNKNOWN_RUNNER', path: 'profiles.query.runner', position: { line, column: 1 } }],
    });
  });

  it('is edited like any other', async () => {
    writeFileSync(path, large(TEXT));
    await file.edit((text) => text.replace('name = "box"', 'name = "crate"'));
    expect(engine.snapshot().config.node.name).toBe('crate');
    await expect(file.edit((text) => text.replace('"shell"', '"nobody"'))).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('profiles.query.runner'),
    });
    expect(readFileSync(path, 'utf8')).toBe(large(TEXT.replace('"box"', '"crate"')));
  });
});

describe('a reload that takes its time', () => {
  /** Holds what is compiled until it is told to go on; `begun` is when the first is held. */
  function hold(): { readonly begun: Promise<void>; goOn(): void } {
    let begin = (): void => undefined;
    let goOn = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    beforeCompile = () => {
      begin();
      return held;
    };
    return { begun, goOn };
  }

  it('is followed by what the file says by then, and by nothing of in between', async () => {
    const { begun, goOn } = hold();
    const first = file.reload({ accept: false });
    await begun;
    replaceFile(NARROWER.replace('"box"', '"between"'));
    const second = file.reload({ accept: false });
    replaceFile(NARROWER.replace('"box"', '"last"'));
    goOn();
    expect((await first).generation).toBe(2);
    await second;
    expect(engine.snapshot().config.node.name).toBe('last');
    expect(engine.snapshot().generation).toBe(3);
  });

  it('is dropped, and what waits with it, by a node that stops', async () => {
    const { begun, goOn } = hold();
    writeFileSync(path, large(NARROWER));
    const refusals = [file.reload({ accept: false }), file.reload({ accept: false })].map((pending) =>
      expect(pending).rejects.toMatchObject({ code: 'SHUTTING_DOWN' }),
    );
    await begun;
    const closed = file.close();
    goOn();
    await Promise.all([closed, ...refusals]);
    expect(engine.snapshot().generation).toBe(1);
    expect(outcomes).toEqual([]);
  });

  it('is reported where it cannot be tried, and tried again with the next change', async () => {
    beforeCompile = () => Promise.reject(new Error('no thread to be had'));
    await expect(file.reload({ accept: false })).rejects.toThrow('no thread to be had');
    expect(engine.status().lastError).toMatchObject({ violations: [], unreadable: 'no thread to be had' });
    beforeCompile = async () => undefined;
    const seen = reloaded();
    replaceFile(TEXT);
    await seen;
    expect(engine.status().lastError).toBeUndefined();
  });
});
