import { deserialize } from 'node:v8';
import { sha256Hex } from '@writ/core';
import { describe, expect, it } from 'vitest';
import { compileConfig } from './compile.ts';
import { diffPolicies } from './diff.ts';
import { meetConfigs } from './meet.ts';
import { createUnpack, memoryOf, packResult } from './packed-policy.ts';
import { findPlaces } from './places.ts';
import { finish } from './slices.ts';
import { BASE, decideBy, load, requestFrom } from './testing/fixtures.ts';
import { BROKEN } from './testing/golden/broken.ts';
import { edited, RICH } from './testing/golden/rich-config.ts';
import { VARIANTS } from './testing/golden/variants.ts';
import { testId } from './testing/testing.ts';

/** What another thread would hand over, taken up here. */
function carry(text: string, unpack: ReturnType<typeof createUnpack>) {
  const packed = packResult(compileConfig(text));
  return finish(unpack(structuredClone(packed, { transfer: [...memoryOf(packed)] }), text));
}

/** The same, the first one that is taken up. */
function carried(text: string) {
  return carry(text, createUnpack());
}

function carriedPolicy(text: string) {
  const result = carried(text);
  if (!result.ok) throw new Error('it was to load');
  return result.policy;
}

describe('what crosses from one thread to another', () => {
  it.each(VARIANTS)('is the whole policy: %s', (...edit) => {
    const text = edited(edit);
    const { index: _, ...policy } = load(text);
    const { index: _index, ...again } = carriedPolicy(text);
    expect(again).toEqual(policy);
  });

  it.each(BROKEN)('is every violation with its place: %s', (...edit) => {
    const text = edited(edit);
    expect(carried(text)).toEqual(compileConfig(text));
  });

  it('knows the place of every key, of what is around one, and in any letter case', () => {
    const text = RICH.replace('[workspaces.docs]', '[workspaces.Docs]');
    const { position } = load(text).index;
    const { position: again } = carriedPolicy(text).index;
    const paths = [...findPlaces(text).keys()].filter((path) => !path.startsWith(' '));
    expect(paths.length).toBeGreaterThan(100);
    for (const path of [...paths, 'workspaces.docs', 'NODE.Name', 'node.gone', 'nothing', '', 'zzz', '!']) {
      expect([path, again(path)]).toEqual([path, position(path)]);
    }
    expect([again('workspaces.docs'), again('NODE.Name')]).not.toContain(undefined);
  });

  it('decides alike, and explains alike', () => {
    const request = requestFrom('laptop', { profile: 'query', workspace: 'app' });
    const [here, there] = [load(BASE), carriedPolicy(BASE)].map((policy) => decideBy(policy, request));
    expect({ ...there, trace: there?.trace }).toEqual({ ...here, trace: here?.trace });
  });

  it('holds what many peers say alike once', () => {
    const peer = (at: number, profiles: string): string =>
      `[peers.p${at}]\nid = "${testId(`p${at}`)}"\nprofiles = ${profiles}\n`;
    const { peers } = carriedPolicy(
      BASE + peer(1, '["query"]') + peer(2, '["repo-dev"]') + peer(3, '["query"]'),
    ).config;
    const [first, second, third] = [1, 2, 3].map((at) => peers.get(`p${at}`));
    expect(first?.profiles).toEqual(['query']);
    expect(third?.profiles).toBe(first?.profiles);
    expect(third?.outbound).toBe(first?.outbound);
    expect(second?.profiles).toEqual(['repo-dev']);
    expect(third?.id).toBe(testId('p3'));
  });

  it('is taken up in pieces, however many peers there are', () => {
    const text = BASE + peersOf(1000).join('');
    const packed = packResult(compileConfig(text));
    const pieces = packed.ok ? packed.pieces.filter(({ part }) => part === 'peers') : [];
    expect(pieces.length).toBeGreaterThan(3);
    expect(Math.max(...pieces.map(({ entries }) => entries.length))).toBeLessThan(200_000);
    const work = createUnpack()(packed, text);
    let rests = 0;
    for (let step = work.next(); ; step = work.next(), rests++) {
      if (!step.done) continue;
      const result = step.value;
      expect(result.ok && [...result.policy.config.peers.keys()]).toEqual([...load(text).config.peers.keys()]);
      break;
    }
    expect(rests).toBeGreaterThan(1000);
  });

  it('is cut where a name says so, and at 512 names where none does', () => {
    const ends = (name: string): boolean => Number.parseInt(sha256Hex(name).slice(0, 8), 16) % 128 === 0;
    const names = Array.from({ length: 2000 }, (_, at) => `q${at}`);
    const [last = ''] = names.filter(ends);
    const long = [...names.filter((name) => !ends(name)).slice(0, 600), last];
    const sizesOf = (labels: readonly string[]): readonly number[] => {
      const text = `schema = 1\n[node]\nname = "x"\n${labels.map((at) => `[workspaces.${at}]\npath = "${at}"\n`).join('')}`;
      const packed = packResult(compileConfig(text));
      if (!packed.ok) throw new Error('it was to load');
      const pieces = packed.pieces.filter(({ part }) => part === 'workspaces');
      return pieces.map(({ entries }) => deserialize(entries).names.length);
    };
    expect(sizesOf(long)).toEqual([512, 89]);
    expect(sizesOf([last, ...long.slice(0, 512)])).toEqual([1, 512]);
    expect(sizesOf([])).toEqual([]);
  });

  it('is handed over and not copied', () => {
    const packed = packResult(compileConfig(BASE));
    if (!packed.ok) throw new Error('it was to load');
    const memory = memoryOf(packed);
    expect(memory).toHaveLength(packed.pieces.length + 2);
    structuredClone(packed, { transfer: [...memory] });
    expect([packed.rest, packed.places.numbers, ...packed.pieces.map(({ entries }) => entries)]).toEqual(
      Array.from({ length: memory.length }, () => expect.objectContaining({ length: 0 })),
    );
    expect(memoryOf({ ok: false, violations: [] })).toEqual([]);
  });
});

describe('what is taken up after another', () => {
  const peers = peersOf(1000);
  const changes: readonly (readonly [string, readonly string[]])[] = [
    ['with one more in the middle', [...peers.slice(0, 500), ...peersOf(1001).slice(1000), ...peers.slice(500)]],
    ['without one', [...peers.slice(0, 500), ...peers.slice(501)]],
    ['with a change of one', peers.map((peer, at) => (at === 500 ? `${peer}max_depth = 3\n` : peer))],
  ];

  it.each(changes)('is nearly the same objects, and the whole policy: %s', (_, changed) => {
    const unpack = createUnpack();
    const [before, after] = [peers, changed].map((all) => carry(BASE + all.join(''), unpack));
    if (!before?.ok || !after?.ok) throw new Error('they were to load');
    const { index: _index, ...policy } = load(BASE + changed.join(''));
    const { index: _again, ...again } = after.policy;
    expect(again).toEqual(policy);
    const old = new Set(before.policy.config.peers.values());
    const isNew = [...after.policy.config.peers.values()].filter((peer) => !old.has(peer));
    expect(isNew.length).toBeGreaterThan(0);
    expect(isNew.length).toBeLessThan(600);
  });

  it('has peers of the one before, and nothing else of it: profiles are told apart', () => {
    const unpack = createUnpack();
    const [before, after] = [BASE, `${BASE}# again\n`].map((text) => carry(text, unpack));
    if (!before?.ok || !after?.ok) throw new Error('they were to load');
    const [old, now] = [before.policy.config, after.policy.config];
    expect(now.peers.get('desk')).toBe(old.peers.get('desk'));
    expect(now.profiles.get('query')).toEqual(old.profiles.get('query'));
    expect(now.profiles.get('query')).not.toBe(old.profiles.get('query'));
  });

  it.each(VARIANTS)('differs from and meets with the one before as if both were read anew: %s', (...edit) => {
    const unpack = createUnpack();
    const texts = [RICH, edited(edit)];
    const [before, after] = texts.map((text) => carry(text, unpack));
    const [was, is] = texts.map((text) => load(text).config);
    if (!before?.ok || !after?.ok || !was || !is) throw new Error('they were to load');
    expect(diffPolicies(before.policy.config, after.policy.config)).toEqual(diffPolicies(was, is));
    expect(meetConfigs(before.policy.config, after.policy.config)).toEqual(meetConfigs(was, is));
  });

  it('has profiles of its own: what they mean is a matter of the whole file', () => {
    const unpack = createUnpack();
    const [before, after] = [RICH, RICH].map((text) => carry(text, unpack));
    if (!before?.ok || !after?.ok) throw new Error('they were to load');
    expect(after.policy.config.profiles).toEqual(before.policy.config.profiles);
    const old = new Set(before.policy.config.profiles.values());
    for (const profile of after.policy.config.profiles.values()) expect(old.has(profile)).toBe(false);
  });

  it('is not of a text that did not load', () => {
    const unpack = createUnpack();
    const results = [BASE, 'schema = "broken"', BASE].map((text) => carry(text, unpack));
    expect(results.map((result) => result?.ok)).toEqual([true, false, true]);
  });
});

function peersOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `[peers.p${at}]\nid = "${testId(`p${at}`)}"\n`);
}
