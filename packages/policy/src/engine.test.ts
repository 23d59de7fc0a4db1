import { nextTurn } from '@writ/core';
import { describe, expect, it } from 'vitest';
import { compileConfig } from './compile.ts';
import { createPolicyEngine, type PolicyCompiler, type PolicyEngineOptions } from './engine.ts';
import { outcomeOf } from './self-tests.ts';
import { BASE, leaseOn, requestFrom } from './testing/fixtures.ts';
import { fixedClock, SELF_ID, testId } from './testing/testing.ts';
import type { DecisionRequest, PolicyEngine } from './types.ts';

const WITHOUT_QUERY = BASE.replace('profiles = ["query", "repo-dev", "system-change"]', 'profiles = ["repo-dev"]');
const WITHOUT_CEILING = BASE.replace('[profile_ceilings]\nsystem-change = "repo-dev"\n', '');
const WITH_RACK = `${BASE}[peers.rack]\nid = "${testId('rack')}"\nprofiles = ["query"]\n`;

const accept = { acceptWidening: true };
const watch = { acceptWidening: false };

function createEngine(change: Partial<PolicyEngineOptions> = {}): PolicyEngine {
  return createPolicyEngine({ text: BASE, clock: fixedClock(), selfId: SELF_ID, ...change });
}

function acceptedTexts(engine: PolicyEngine): readonly string[] {
  return engine.acceptedTexts().map(({ text }) => text);
}

function ask(engine: PolicyEngine, label: string, change: Partial<DecisionRequest> = {}): string {
  const leases = [...engine.snapshot().config.profiles.values()].map((profile) => leaseOn(profile));
  return outcomeOf(engine.decide(requestFrom(label, { profile: 'query', leases, ...change })));
}

describe('an engine', () => {
  it('does not exist for a text that does not load, and says all that is wrong', () => {
    const text = BASE.replace('runner = "fixer"', 'runner = "fxier"').replace('max_depth = 2', 'max_dept = 2');
    expect(() => createEngine({ text })).toThrow(/line \d+.*UNKNOWN_RUNNER[\s\S]*line \d+.*UNKNOWN_KEY/);
  });

  it('does not exist for a text whose own tests fail', () => {
    const test = '[[tests]]\nfrom = "laptop"\nprofile = "query"\nexpect = "deny:PROFILE_NOT_ALLOWED"\n';
    expect(() => createEngine({ text: BASE + test })).toThrow(/TEST_FAILED/);
  });

  it('decides about what goes out, by label and by id', () => {
    const engine = createEngine();
    const out = (to: string, profile?: string, workspace?: string, ship = false) =>
      engine.decideOutbound({ to, ship, ...(profile ? { profile } : {}), ...(workspace ? { workspace } : {}) }).code;
    expect(out('laptop', 'query', 'app')).toBe('OK');
    expect(out('LAPTOP', 'Query')).toBe('OK');
    expect(out(testId('laptop').toUpperCase(), 'query')).toBe('OK');
    expect(out('laptop', 'repo-dev')).toBe('PROFILE_NOT_ALLOWED');
    expect(out('laptop')).toBe('PROFILE_REQUIRED');
    expect(out('laptop', 'query', 'site')).toBe('WORKSPACE_NOT_ALLOWED');
    expect(out('laptop', 'query', 'app', true)).toBe('WORKSPACE_NOT_ALLOWED');
    expect(out('desk', 'query')).toBe('PROFILE_NOT_ALLOWED');
    expect(out('rack', 'query')).toBe('PEER_UNKNOWN');
    const last = engine.decideOutbound({ to: 'laptop', profile: 'repo-dev', ship: false }).trace.at(-1);
    const line = BASE.split('\n').indexOf('[peers.laptop.outbound]') + 2;
    expect(last).toMatchObject({ path: 'peers.laptop.outbound.profiles', position: { line } });
  });
});

describe('reload', () => {
  it('swaps the policy in place and counts generations', async () => {
    const engine = createEngine();
    expect(ask(engine, 'laptop')).toBe('allow:query/shell');
    const outcome = await engine.reload(WITHOUT_QUERY, watch);
    expect(outcome).toEqual({ reloaded: true, generation: 2, restartNeeded: [] });
    expect(ask(engine, 'laptop')).toBe('deny:PROFILE_NOT_ALLOWED');
    expect(engine.decide(requestFrom('laptop')).generation).toBe(2);
    expect(engine.snapshot().generation).toBe(2);
  });

  it('keeps the last good policy for a broken text, and says so until one loads', async () => {
    const engine = createEngine();
    const before = engine.snapshot();
    const outcome = await engine.reload(`${BASE}oops`, accept);
    expect(outcome).toMatchObject({ reloaded: false, generation: 1, violations: [{ code: 'TOML_SYNTAX' }] });
    expect(outcome.restartNeeded).toEqual([]);
    expect(engine.snapshot()).toBe(before);
    expect(engine.status().lastError).toMatchObject({ violations: [{ code: 'TOML_SYNTAX' }] });
    await engine.reload(BASE, watch);
    expect(engine.status().lastError).toBeUndefined();
  });

  it('says that there was nothing to load until something loads, and changes nothing', async () => {
    const engine = createEngine();
    const before = engine.snapshot();
    engine.noteUnreadable('cannot read it');
    expect(engine.status().lastError).toEqual({
      atMs: 1_700_000_000_000,
      violations: [],
      unreadable: 'cannot read it',
    });
    expect(engine.snapshot()).toBe(before);
    await engine.reload('broken', watch);
    expect(engine.status().lastError).toMatchObject({ violations: [{ code: 'TOML_SYNTAX' }] });
    expect(engine.status().lastError?.unreadable).toBeUndefined();
    await engine.reload(BASE, watch);
    expect(engine.status().lastError).toBeUndefined();
  });

  it('is acknowledged only after work that is being started has started', async () => {
    const engine = createEngine();
    const order: string[] = [];
    let release = (): void => undefined;
    const started = engine.whileHeld(async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      order.push(`started under ${engine.snapshot().generation}`);
    });
    const reloaded = engine.reload(WITHOUT_QUERY, watch).then(() => order.push('acknowledged'));
    // Until it waits for its lock.
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    const later = engine.whileHeld(() => order.push(`later under ${engine.snapshot().generation}`));
    await nextTurn();
    expect(order).toEqual([]);
    release();
    await Promise.all([started, reloaded, later]);
    expect(order[0]).toBe('started under 1');
    expect(order).toContain('later under 2');
    expect(order).toContain('acknowledged');
  });

  it('tells listeners after each change, and not after a failure', async () => {
    const engine = createEngine();
    const told: number[][] = [];
    const stop = engine.onChange((now, before) => told.push([before.generation, now.generation]));
    await engine.reload(WITHOUT_QUERY, watch);
    await engine.reload('broken', watch);
    stop();
    await engine.reload(BASE, accept);
    expect(told).toEqual([[1, 2]]);
  });

  it('has told all of them when it is acknowledged, and others have had their turn between two of them', async () => {
    const engine = createEngine();
    const order: string[] = [];
    engine.onChange(() => {
      order.push('one');
      setImmediate(() => order.push('somebody else'));
    });
    engine.onChange(() => order.push('two'));
    await engine.reload(WITHOUT_QUERY, watch);
    expect(order).toEqual(['one', 'somebody else', 'two']);
  });

  it('tells nobody who was taken out by another one meanwhile', async () => {
    const engine = createEngine();
    const told: string[] = [];
    engine.onChange(() => stop());
    const stop = engine.onChange(() => told.push('stopped'));
    engine.onChange(() => told.push('last'));
    await engine.reload(WITHOUT_QUERY, watch);
    expect(told).toEqual(['last']);
  });

  it('finds each peer by its id, also while a change waits', async () => {
    const engine = createEngine();
    const ids = (): readonly string[] => [...engine.snapshot().config.peers.values()].map(({ id }) => id);
    const found = (): readonly unknown[] => ids().map((id) => engine.snapshot().peer(id));
    expect(found()).toEqual([...engine.snapshot().config.peers.values()]);
    await engine.reload(WITHOUT_QUERY, watch);
    await engine.reload(BASE, watch);
    expect(engine.status().parked).toBeDefined();
    expect(ids().length).toBeGreaterThan(0);
    expect(found()).toEqual([...engine.snapshot().config.peers.values()]);
    expect(engine.snapshot().peer('wn-nobody')).toBeUndefined();
  });

  it('tells every listener, and the truth to its caller, where one of them throws', async () => {
    const errors: unknown[] = [];
    const engine = createEngine({ onListenerError: (error) => errors.push(error) });
    const told: number[] = [];
    const failure = new Error('a listener fails');
    engine.onChange(() => {
      throw failure;
    });
    engine.onChange(({ generation }) => told.push(generation));
    expect(await engine.reload(WITHOUT_QUERY, watch)).toMatchObject({ reloaded: true, generation: 2 });
    expect(told).toEqual([2]);
    expect(errors).toEqual([failure]);
  });

  it('holds also where nobody wants to know of a listener that throws', async () => {
    const engine = createEngine();
    engine.onChange(() => {
      throw new Error('a listener fails');
    });
    expect(await engine.reload(WITHOUT_QUERY, watch)).toMatchObject({ reloaded: true, generation: 2 });
  });

  it('makes what only takes away the accepted text at once, so that all of it takes a yes to come back', async () => {
    const engine = createEngine();
    await engine.reload(WITHOUT_QUERY, watch);
    expect(acceptedTexts(engine)).toEqual([WITHOUT_QUERY]);
    expect(engine.status().acceptedDigest).toBe(engine.status().digest);
    expect((await engine.reload(BASE, watch)).parked?.filter(({ subject }) => subject === 'laptop')).toEqual([
      { subject: 'laptop', effect: 'gains', what: 'may ask for profile query' },
      { subject: 'laptop', effect: 'gains', what: 'may ask for profile system-change, which leads to repo-dev' },
    ]);
  });

  it('names the addresses that take a restart, as long as they differ from those of the start', async () => {
    const engine = createEngine();
    const moved = BASE.replace('default_profile', 'listen = "127.0.0.1:9"\ndefault_profile');
    expect((await engine.reload(moved, accept)).restartNeeded).toEqual(['node.listen']);
    expect((await engine.reload(`${moved}# again\n`, accept)).restartNeeded).toEqual(['node.listen']);
    const both = `${moved}[gateway]\nlisten = "127.0.0.1:10"\n`;
    expect((await engine.reload(both, accept)).restartNeeded).toEqual(['node.listen', 'gateway.listen']);
    expect((await engine.reload(BASE, accept)).restartNeeded).toEqual([]);
  });
});

describe('a reload whose text is compiled elsewhere', () => {
  /** A compiler that answers when it is told to; `asked` are the texts that it was given. */
  function slowCompiler() {
    const asked: string[] = [];
    const waiting: (() => void)[] = [];
    const compile: PolicyCompiler = async (text) => {
      asked.push(text);
      await new Promise<void>((resolve) => waiting.push(resolve));
      return compileConfig(text);
    };
    return { asked, compile, answer: () => waiting.shift()?.() };
  }

  it('holds up neither decisions nor starts until it is there', async () => {
    const { compile, answer } = slowCompiler();
    const engine = createEngine({ compile });
    const reloaded = engine.reload(WITHOUT_QUERY, watch);
    await nextTurn();
    expect(await engine.whileHeld(() => ask(engine, 'laptop'))).toBe('allow:query/shell');
    expect(engine.snapshot().generation).toBe(1);
    answer();
    expect(await reloaded).toMatchObject({ reloaded: true, generation: 2 });
    expect(ask(engine, 'laptop')).toBe('deny:PROFILE_NOT_ALLOWED');
  });

  it('takes its turn: the next begins when it is acknowledged, and is compared with it', async () => {
    const { asked, compile, answer } = slowCompiler();
    const engine = createEngine({ compile });
    const first = engine.reload(WITHOUT_QUERY, watch);
    const second = engine.reload(BASE, watch);
    await nextTurn();
    expect(asked).toEqual([WITHOUT_QUERY]);
    answer();
    expect((await first).generation).toBe(2);
    await nextTurn();
    expect(asked).toEqual([WITHOUT_QUERY, BASE]);
    answer();
    const { generation, parked } = await second;
    expect(generation).toBe(3);
    expect(parked).toContainEqual({ subject: 'laptop', effect: 'gains', what: 'may ask for profile query' });
  });

  it('changes nothing where it cannot be tried, and lets the next one be', async () => {
    const failure = new Error('no thread');
    const compilers: PolicyCompiler[] = [() => Promise.reject(failure), async (text) => compileConfig(text)];
    const engine = createEngine({ compile: (text) => compilers.shift()?.(text) ?? Promise.reject(failure) });
    const before = engine.snapshot();
    await expect(engine.reload(WITHOUT_QUERY, watch)).rejects.toBe(failure);
    expect(engine.snapshot()).toBe(before);
    expect(await engine.reload(WITHOUT_QUERY, watch)).toMatchObject({ reloaded: true, generation: 2 });
  });

  it('compares in slices, so that others have their turn between two peers', async () => {
    let nowMs = 0;
    const clock = { ...fixedClock(), monotonicMs: () => nowMs++ };
    const engine = createEngine({ clock });
    let turns = 0;
    let isOver = false;
    const other = (): void => {
      turns++;
      if (!isOver) setImmediate(other);
    };
    setImmediate(other);
    const peers = Array.from({ length: 100 }, (_, at) => `[peers.p${at}]\nid = "${testId(`p${at}`)}"\n`);
    const outcome = await engine.reload(BASE + peers.join(''), watch);
    isOver = true;
    expect(outcome.parked).toHaveLength(100);
    expect(turns).toBeGreaterThan(50);
  });

  it('may begin with what was compiled elsewhere', () => {
    const compiled = compileConfig(WITHOUT_QUERY);
    if (!compiled.ok) throw new Error('it was to load');
    const engine = createEngine({ text: compiled.policy });
    expect(ask(engine, 'laptop')).toBe('deny:PROFILE_NOT_ALLOWED');
    expect(acceptedTexts(engine)).toEqual([WITHOUT_QUERY]);
  });
});

describe('a change that gives someone more', () => {
  it('waits, and the stricter of both decides', async () => {
    const engine = createEngine();
    const desk = `id = "${testId('desk')}"\nprofiles = `;
    const outcome = await engine.reload(WITH_RACK.replace(`${desk}["query"]`, `${desk}[]`), watch);
    expect(outcome.parked?.filter(({ subject }) => subject === 'rack')).toEqual([
      { subject: 'rack', effect: 'gains', what: `is a peer: ${testId('rack')}` },
      { subject: 'rack', effect: 'gains', what: 'may ask for profile query' },
    ]);
    expect(ask(engine, 'rack')).toBe('deny:PEER_UNKNOWN');
    expect(engine.snapshot().config.peers.has('rack')).toBe(false);
    // What the same text takes away is in force at once.
    expect(ask(engine, 'desk')).toBe('deny:PROFILE_NOT_ALLOWED');
    expect(ask(engine, 'laptop')).toBe('allow:query/shell');
    expect(engine.status().parked).toEqual(outcome.parked);
  });

  it('is in force once a person accepts it', async () => {
    const engine = createEngine();
    await engine.reload(WITH_RACK, watch);
    expect(acceptedTexts(engine)).toEqual([BASE]);
    expect(engine.status().acceptedDigest).not.toBe(engine.status().digest);
    const outcome = await engine.reload(WITH_RACK, accept);
    expect(outcome.parked).toBeUndefined();
    expect(ask(engine, 'rack')).toBe('allow:query/shell');
    expect(acceptedTexts(engine)).toEqual([WITH_RACK]);
    expect(engine.status().acceptedDigest).toBe(engine.status().digest);
    expect(engine.status().parked).toBeUndefined();
  });

  it('is dropped by going back', async () => {
    const engine = createEngine();
    await engine.reload(WITH_RACK, watch);
    expect((await engine.reload(BASE, watch)).parked).toBeUndefined();
    expect(engine.status().parked).toBeUndefined();
    expect(ask(engine, 'laptop')).toBe('allow:query/shell');
  });

  it('gives nothing of what cannot be compared where the file is put back, also over a restart', async () => {
    const good = `${BASE}[upstreams.files]\ncommand = ["good"]\nagents = ["*"]\n`.replace(
      'name = "box"',
      'name = "box"\nlisten = "127.0.0.1:7420"',
    );
    const other = good
      .replace('["fix", "{prompt}"]', '["sh", "-c", "{prompt}"]')
      .replace('path = "."', 'path = "/etc"')
      .replace('["good"]', '["evil"]')
      .replace('127.0.0.1:7420', '0.0.0.0:7420');
    const chosen = ({ config }: ReturnType<PolicyEngine['snapshot']>): readonly unknown[] => [
      config.runners.get('fixer')?.argv,
      config.workspaces.get('app')?.path,
      config.upstreams.get('files')?.command,
      config.node.listen,
    ];
    const engine = createEngine({ text: good });
    const accepted = chosen(engine.snapshot());
    for (const text of [other, good, `${other}# again\n`, good, other, `${good}# a word\n`]) {
      await engine.reload(text, watch);
      expect(chosen(engine.snapshot())).toEqual(accepted);
      expect(chosen(createEngine({ text, acceptedTexts: acceptedTexts(engine) }).snapshot())).toEqual(accepted);
    }
  });

  it('waits from the start where it was made while the node was down', () => {
    const engine = createEngine({ text: WITH_RACK, acceptedTexts: acceptedTexts(createEngine()) });
    expect(engine.status().parked?.filter(({ subject }) => subject === 'rack').length).toBe(2);
    expect(ask(engine, 'rack')).toBe('deny:PEER_UNKNOWN');
    expect(ask(engine, 'laptop')).toBe('allow:query/shell');
  });

  it.each([[['schema = 7']], [[BASE, 'schema = 7']], [[]]])(
    'is everything where what was accepted cannot be read any more (%#)',
    (stored) => {
      const engine = createEngine({ acceptedTexts: stored });
      expect(ask(engine, 'laptop')).toBe('deny:PEER_UNKNOWN');
      expect(engine.status().parked).toContainEqual({
        subject: 'laptop',
        effect: 'gains',
        what: `is a peer: ${testId('laptop')}`,
      });
    },
  );

  it('leads back to nothing that was taken away meanwhile', async () => {
    const engine = createEngine();
    await engine.reload(WITH_RACK.replace('"query", "repo-dev", "system-change"', '"repo-dev"'), watch);
    const outcome = await engine.reload(BASE, watch);
    expect(ask(engine, 'laptop')).toBe('deny:PROFILE_NOT_ALLOWED');
    expect(outcome.parked).toContainEqual({ subject: 'laptop', effect: 'gains', what: 'may ask for profile query' });
    expect(engine.snapshot().config.peers.get('laptop')?.profiles).toEqual(['repo-dev']);
    const restarted = createEngine({ acceptedTexts: acceptedTexts(engine) });
    expect(ask(restarted, 'laptop')).toBe('deny:PROFILE_NOT_ALLOWED');
    await restarted.reload(BASE, accept);
    expect(ask(restarted, 'laptop')).toBe('allow:query/shell');
  });

  it('leads back to no outbound right that was taken away meanwhile', async () => {
    const engine = createEngine();
    const out = () => engine.decideOutbound({ to: 'laptop', profile: 'query', ship: false }).code;
    await engine.reload(WITH_RACK.replace('outbound]\nprofiles = ["query"]', 'outbound]\nprofiles = []'), watch);
    expect(out()).toBe('PROFILE_NOT_ALLOWED');
    await engine.reload(BASE, watch);
    expect(out()).toBe('PROFILE_NOT_ALLOWED');
    await engine.reload(BASE, accept);
    expect(out()).toBe('OK');
  });

  it('keeps of many edits only those that say something more', async () => {
    const engine = createEngine();
    for (let minutes = 29; minutes > 0; minutes--) {
      await engine.reload(WITH_RACK.replace('commands =', `timeout = "${minutes}m"\ncommands =`), watch);
    }
    expect(acceptedTexts(engine)).toHaveLength(2);
    await engine.reload(BASE, watch);
    expect(engine.decide(requestFrom('laptop', { profile: 'query' })).grant?.timeoutMs).toBe(60_000);
  });

  it('gives nobody anything where more edits wait than can be kept, until a person accepts', async () => {
    const names = Array.from({ length: 16 }, (_, at) => `p${at}`);
    const defined = names.map((name) => `[profiles.${name}]\ncapabilities = []\nrunner = "shell"\n`).join('');
    const offering = (base: string, offered: readonly string[]) =>
      base.replace('"system-change"]', `${['system-change', ...offered].map((name) => `"${name}"`)}]`) + defined;
    const engine = createEngine({ text: offering(BASE, names) });
    const without = (gone: number) =>
      offering(
        WITH_RACK,
        names.filter((_, at) => at !== gone),
      );
    for (let gone = 0; gone < 15; gone++) await engine.reload(without(gone), watch);
    expect(ask(engine, 'laptop')).toBe('allow:query/shell');
    expect(ask(engine, 'laptop', { profile: 'p0' })).toBe('deny:PROFILE_NOT_ALLOWED');
    await engine.reload(without(15), watch);
    expect(ask(engine, 'laptop')).toBe('deny:PEER_UNKNOWN');
    expect(acceptedTexts(engine)).toHaveLength(2);
    await engine.reload(offering(BASE, names), watch);
    expect(ask(engine, 'laptop')).toBe('deny:PEER_UNKNOWN');
    await engine.reload(offering(BASE, names), accept);
    expect(ask(engine, 'laptop', { profile: 'p0' })).toBe('allow:p0/shell');
  });

  it('leads to the lower profile where a ceiling was taken out', async () => {
    const engine = createEngine();
    const request = { profile: 'system-change', workspace: 'app' };
    await engine.reload(WITHOUT_CEILING, watch);
    expect(ask(engine, 'laptop', request)).toBe('allow:repo-dev/shell');
    await engine.reload(WITHOUT_CEILING, accept);
    expect(ask(engine, 'laptop', request)).toBe('allow:system-change/fixer');
  });

  it('keeps runner, commands and environment of what was accepted', async () => {
    const engine = createEngine();
    const wider = BASE.replace(
      'commands = [["true"]]',
      'commands = [["true"], ["rm", "-rf", "build"]]\nenv = ["SECRET"]',
    ).replace('argv = ["fix", "{prompt}"]', 'argv = ["evil", "{prompt}"]');
    await engine.reload(wider, watch);
    const { profiles, runners } = engine.snapshot().config;
    expect(profiles.get('query')).toMatchObject({ commands: [['true']], env: [] });
    expect(runners.get('fixer')?.argv).toEqual(['fix', '{prompt}']);
  });

  it('says how to accept it where only it would allow the request', async () => {
    const engine = createEngine();
    await engine.reload(WITH_RACK, watch);
    const { nextSteps } = engine.decide(requestFrom('rack', { profile: 'query' }));
    expect(nextSteps.at(-1)).toMatch(/waits for a person/);
  });

  it('waits also where it concerns what goes out', async () => {
    const engine = createEngine();
    const wider = BASE.replace(
      '[peers.laptop.outbound]\nprofiles = ["query"]',
      '[peers.laptop.outbound]\nprofiles = ["query", "x"]',
    );
    await engine.reload(wider, watch);
    expect(engine.decideOutbound({ to: 'laptop', profile: 'x', ship: false }).code).toBe('PROFILE_NOT_ALLOWED');
    await engine.reload(wider, accept);
    expect(engine.decideOutbound({ to: 'laptop', profile: 'x', ship: false }).code).toBe('OK');
  });
});
