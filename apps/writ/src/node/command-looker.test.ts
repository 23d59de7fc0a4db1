import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createSystemClock, type LogFields, nextTurn } from '@writ/core';
import { createPolicyEngine, type PolicyEngine } from '@writ/policy';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BuiltThread, buildCommandThread } from '../testing/built-thread.ts';
import { installedGrammar, installedGrammarFiles } from '../testing/installed-grammar.ts';
import { VERSION } from '../version.ts';
import { createLookedClassifier, createNodeClassifier, type LookedClassifier } from './classification.ts';
import { type CommandLooker, createCommandLooker } from './command-looker.ts';

const clock = createSystemClock();
const ACCEPT = { acceptWidening: true };
const PEER = { requestedBy: 'wn-peer', session: 's1' };
const LONGEST_START_MS = 30_000;
const PLACE = { host: 'self', cwd: '/w' };
const HEAD = 'schema = 1\n[node]\nname = "box"\n';
/** A thread that is at its first command for ever where that is `hang`, and ends where it is `die`. */
const ODD = `import { parentPort } from 'node:worker_threads';
parentPort.on('message', (message) => {
  if ('rules' in message) return;
  if (message.argv[0] === 'hang') for (;;);
  if (message.argv[0] === 'die') process.exit(1);
  parentPort.postMessage({ class: 'read', rule: 'odd', reason: '', needs: [], known: true, commands: [] });
});
parentPort.postMessage({ ready: '${VERSION}' });
`;

let thread: BuiltThread;
let dir: string;
let odd: URL;
beforeAll(async () => {
  thread = await buildCommandThread();
  dir = mkdtempSync(join(tmpdir(), 'writ-looker-'));
  writeFileSync(join(dir, 'odd.mjs'), ODD);
  odd = pathToFileURL(join(dir, 'odd.mjs'));
});
afterAll(async () => {
  await thread.remove();
  rmSync(dir, { recursive: true });
});

let looker: CommandLooker;
/** Threads that were started. */
let starts = 0;
/** What has passed besides. */
let passedMs = 0;
let logged: (readonly [string, LogFields | undefined])[];
const open = (script: URL, longestMs?: number): CommandLooker => {
  const files = installedGrammarFiles();
  logged = [];
  const log = (message: string, fields?: LogFields): void => void logged.push([message, fields]);
  looker = createCommandLooker({
    script,
    files,
    clock: {
      monotonicMs: () => clock.monotonicMs() + passedMs,
      setTimer(ms, run) {
        if (ms === LONGEST_START_MS) starts += 1;
        return clock.setTimer(ms, run);
      },
    },
    logger: { warn: log, error: log },
    ...(longestMs === undefined ? {} : { longestMs }),
  });
  return looker;
};
afterEach(() => looker.close());

const ask = (...argv: readonly string[]) => looker.look({ argv, place: PLACE, rules: [], whose: 'peer' });

describe('a command that is looked at on a thread', () => {
  it('is what it is here', async () => {
    open(thread.script);
    const grammar = await installedGrammar();
    const engine = createPolicyEngine({ text: HEAD, clock, selfId: 'wn-self' });
    const here = createNodeClassifier(engine, grammar);
    for (const argv of [['ls'], ['rm', '-rf', 'x'], ['bash', '-c', 'ls | wc -l'], ['awk', '{print $1}', 'a']]) {
      expect(await ask(...argv)).toEqual({ classification: here.classify(argv, PLACE), decided: true });
    }
  });

  it('is undecided when it takes too long, holds up nothing meanwhile, and the next one has a thread of its own', async () => {
    const longestMs = 1000;
    open(odd, longestMs);
    expect(await ask('ls')).toMatchObject({ decided: true });
    let ticks = 0;
    const tick = (): void => {
      ticks += 1;
      stop = clock.setTimer(20, tick);
    };
    let stop = clock.setTimer(20, tick);
    const before = clock.monotonicMs();
    const [slow, next] = await Promise.all([ask('hang'), ask('ls')]);
    stop();
    expect(slow.decided).toBe(false);
    expect(slow.classification).toMatchObject({ class: 'destructive', rule: 'undecided' });
    expect(slow.classification.needs).toEqual(['destructive', 'shell']);
    expect(slow.classification.reason).toContain('cannot be told in the time');
    expect(next.decided).toBe(true);
    expect(clock.monotonicMs() - before).toBeGreaterThanOrEqual(longestMs - 1);
    expect(ticks).toBeGreaterThan(5);
  });

  it('is undecided when the thread dies, is not there, or is closed, and that is what it says', async () => {
    open(odd);
    expect(await ask('die')).toMatchObject({ decided: false, untold: 'fault' });
    expect(await ask('ls')).toMatchObject({ decided: true });
    await looker.close();
    expect(await ask('ls')).toMatchObject({ decided: false, untold: 'closing' });
    open(new URL('file:///no/such/thread.mjs'));
    expect(await ask('ls')).toMatchObject({ decided: false, untold: 'fault' });
  });

  it('is undecided where too many of one asker wait', async () => {
    open(odd);
    const many = 300;
    const answers = await Promise.all(Array.from({ length: many }, () => ask('ls')));
    expect(new Set(answers.map(({ untold }) => untold))).toEqual(new Set([undefined, 'full']));
  });

  it('has its turn among those who ask', async () => {
    open(odd);
    const order: string[] = [];
    const of = async (whose: string): Promise<void> => {
      await looker.look({ argv: ['ls'], place: PLACE, rules: [], whose });
      order.push(whose);
    };
    await Promise.all([of('one'), of('one'), of('one'), of('other')]);
    expect(order.indexOf('other')).toBeLessThan(3);
  });
});

describe('a thread that cannot be had', () => {
  it.each([
    ['is not there', undefined, 'Cannot find module'],
    ['is of another version', "parentPort.postMessage({ ready: '0.0.9' });", 'of version `0.0.9`'],
    ['ends by itself', 'process.exit(7);', 'ended with 7'],
    ['fails', "throw new Error('no room');", 'no room'],
  ])(
    'since it %s is said at the start, to whoever asks for the status, and once in the log',
    async (_, text, reason) => {
      const file = join(dir, 'faulty.mjs');
      if (text !== undefined) writeFileSync(file, `import { parentPort } from 'node:worker_threads';\n${text}\n`);
      open(pathToFileURL(file));
      await expect(looker.start()).rejects.toMatchObject({
        code: 'INTERNAL',
        message: expect.stringContaining(reason),
      });
      for (const command of ['ls', 'df']) expect(await ask(command)).toMatchObject({ decided: false, untold: 'fault' });
      expect(looker.problem()).toContain(reason);
      expect(logged).toEqual([['no command can be looked at', { reason: expect.stringContaining(reason) }]]);
      rmSync(file, { force: true });
    },
  );

  it('is no problem any more once it can, without a command or a start between', async () => {
    const file = join(dir, 'later.mjs');
    open(pathToFileURL(file));
    expect(looker.problem()).toBeUndefined();
    await ask('ls');
    const before = starts;
    // However often somebody asks: what is known is said at once, and one try is made beside it.
    for (let count = 0; count < 5; count += 1) expect(looker.problem()).toContain('Cannot find module');
    await ask('ls');
    expect(starts - before).toBe(2);
    writeFileSync(file, ODD);
    expect(looker.problem()).toContain('Cannot find module');
    passedMs += 10_000;
    expect(looker.problem()).toContain('Cannot find module');
    await expect.poll(() => looker.problem()).toBeUndefined();
    expect(starts - before).toBe(3);
    expect(await ask('ls')).toMatchObject({ decided: true });
    rmSync(file);
  });

  it('is tried again after one that could not be had either', async () => {
    open(new URL('file:///no/such/thread.mjs'));
    await ask('ls');
    const before = starts;
    for (const tries of [1, 2, 3]) {
      looker.problem();
      // It has its turn after the try.
      await ask('ls');
      expect(starts - before).toBe(2 * tries);
      passedMs += 10_000;
    }
  });

  it('is tried again also where a command had it before the try had its turn', async () => {
    const file = join(dir, 'meanwhile.mjs');
    open(pathToFileURL(file));
    await ask('ls');
    writeFileSync(file, ODD);
    const asked = ask('ls');
    expect(looker.problem()).toContain('Cannot find module');
    expect(await asked).toMatchObject({ decided: true });
    await ask('die');
    const before = starts;
    passedMs += 10_000;
    expect(looker.problem()).toContain('ended with 1');
    await expect.poll(() => looker.problem()).toBeUndefined();
    expect(starts).toBe(before + 1);
    rmSync(file);
  });

  it('is another one than a thread that takes too long', async () => {
    open(odd, 200);
    expect(await ask('hang')).toMatchObject({ decided: false, untold: 'late' });
    expect(looker.problem()).toBeUndefined();
    expect(logged).toEqual([['a command was not looked at', { reason: expect.stringContaining('in the time') }]]);
  });

  it('has its file by the time that it starts', async () => {
    open(thread.script);
    await looker.start();
    expect(await ask('ls')).toMatchObject({ decided: true });
  });
});

describe('what was looked at', () => {
  const RULE = '[[commands]]\nmatch = ["frob", "*"]\nclass = "read"\nneeds = ["inspect_status"]\n';
  let engine: PolicyEngine;
  let classifier: LookedClassifier;
  beforeEach(async () => {
    engine = createPolicyEngine({ text: HEAD, clock, selfId: 'wn-self' });
    const here = createNodeClassifier(engine, await installedGrammar());
    classifier = createLookedClassifier(engine, here, open(thread.script));
  });

  it('is known afterwards, and nothing else is', async () => {
    expect(classifier.classify(['ls'], PLACE)).toMatchObject({ class: 'destructive', rule: 'undecided' });
    const looked = await classifier.look(['ls'], PLACE, PEER);
    expect(looked).toMatchObject({ decided: true, classification: { class: 'read' } });
    expect(classifier.classify(['ls'], PLACE)).toEqual(looked.classification);
    expect(classifier.classify(['ls'], { ...PLACE, cwd: '/x' })).toMatchObject({ rule: 'undecided' });
  });

  it('is what the rules of this moment say, on the thread and after a reload', async () => {
    expect(await classifier.look(['frob', 'x'], PLACE, PEER)).toMatchObject({ classification: { known: false } });
    await engine.reload(HEAD + RULE, ACCEPT);
    expect(classifier.classify(['frob', 'x'], PLACE)).toMatchObject({ class: 'read', known: true });
    expect(await classifier.look(['frob', 'y'], PLACE, PEER)).toMatchObject({
      classification: { class: 'read', known: true },
    });
    await engine.reload(HEAD, ACCEPT);
    expect(classifier.classify(['frob', 'y'], PLACE)).toMatchObject({ known: false });
    expect(await classifier.look(['frob', 'y'], PLACE, PEER)).toMatchObject({ classification: { known: false } });
  });

  it('keeps nothing of a policy that is not in force any more', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    await engine.reload(HEAD + RULE, ACCEPT);
    const rules = new WeakRef(engine.snapshot().config.commands);
    await classifier.look(['frob', 'x'], PLACE, PEER);
    await engine.reload(HEAD, ACCEPT);
    await classifier.look(['ls'], PLACE, PEER);
    for (let at = 0; at < 10; at += 1) {
      await nextTurn();
      collect();
    }
    expect(rules.deref()).toBeUndefined();
    expect(classifier.classify(['frob', 'x'], PLACE)).toMatchObject({ known: false });
  });

  it('outlasts a later look that came to nothing, by the same rules', async () => {
    await classifier.look(['ls'], PLACE, PEER);
    await looker.close();
    expect(await classifier.look(['ls'], PLACE, PEER)).toMatchObject({ classification: { class: 'read' } });
    expect(classifier.classify(['ls'], PLACE)).toMatchObject({ class: 'read' });
    expect(await classifier.look(['df'], PLACE, PEER)).toMatchObject({ decided: false });
  });

  it('stays undecided where the look took too long, whatever is reloaded', async () => {
    const here = createNodeClassifier(engine, await installedGrammar());
    await looker.close();
    classifier = createLookedClassifier(engine, here, open(odd));
    expect(await classifier.look(['die'], PLACE, PEER)).toMatchObject({ classification: { rule: 'undecided' } });
    await engine.reload(HEAD + RULE, ACCEPT);
    expect(classifier.classify(['die'], PLACE)).toMatchObject({ rule: 'undecided' });
  });

  it('is known for as long as it is held, whatever one task asks for in however many folders', async () => {
    const task = (session: string) => ({ requestedBy: 'self', session, task: session });
    const release = await classifier.hold(['cargo', 'test'], PLACE, task('t1'));
    const flood = 5000;
    for (let at = 0; at < flood; at += 1) await classifier.look(['ls'], { ...PLACE, cwd: `/t/${at}` }, task('t1'));
    expect(classifier.classify(['cargo', 'test'], PLACE)).toMatchObject({ class: 'config-mutation' });
    release();
    expect(classifier.classify(['cargo', 'test'], PLACE)).toMatchObject({ rule: 'undecided' });
  });

  it('is pushed out by nobody of another lane, in however many tasks and folders', async () => {
    const long = ['echo', 'x'.repeat(2000)];
    await classifier.look(long, PLACE, { requestedBy: 'wn-a', session: 's' });
    const flood = 5000;
    for (let at = 0; at < flood; at += 1) {
      const asker = { requestedBy: 'wn-b', session: 's', task: `t${at}` };
      await classifier.look(['ls'], { ...PLACE, cwd: `/t/${at}` }, asker);
    }
    expect(classifier.classify(long, PLACE)).toMatchObject({ class: 'read' });
  });
});
