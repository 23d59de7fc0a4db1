import { deserialize } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { compileConfig } from './compile.ts';
import { packResult, unpackResult } from './packed-policy.ts';
import { findPlaces } from './places.ts';
import { finish } from './slices.ts';
import { BASE, decideBy, load, requestFrom } from './testing/fixtures.ts';
import { BROKEN } from './testing/golden/broken.ts';
import { edited, RICH } from './testing/golden/rich-config.ts';
import { VARIANTS } from './testing/golden/variants.ts';
import { testId } from './testing/testing.ts';

/** What another thread would be given, taken up here. */
function carried(text: string) {
  return finish(unpackResult(structuredClone(packResult(compileConfig(text))), text));
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
    const peers = Array.from({ length: 1000 }, (_, at) => `[peers.p${at}]\nid = "${testId(`p${at}`)}"\n`);
    const text = BASE + peers.join('');
    const packed = packResult(compileConfig(text));
    expect(packed.ok && packed.pieces.filter(({ part }) => part === 'peers').length).toBe(8);
    const sizes = packed.ok ? packed.pieces.map(({ entries }) => deserialize(entries).length) : [];
    expect(Math.max(...sizes)).toBe(128);
    const work = unpackResult(packed, text);
    let rests = 0;
    for (let step = work.next(); ; step = work.next(), rests++) {
      if (!step.done) continue;
      const result = step.value;
      expect(result.ok && [...result.policy.config.peers.keys()]).toEqual([...load(text).config.peers.keys()]);
      break;
    }
    expect(rests).toBeGreaterThan(1000);
  });
});
