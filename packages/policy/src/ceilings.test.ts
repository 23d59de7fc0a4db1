import { describe, expect, it } from 'vitest';
import { descend, didYouMean, profileWithin } from './ceilings.ts';
import { compileConfig } from './compile.ts';
import { BASE, load } from './testing/fixtures.ts';
import type { Profile } from './types.ts';

const PROFILES = load(BASE).config.profiles;
const QUERY = PROFILES.get('query') as Profile;

describe('a profile', () => {
  const outer: Profile = { ...QUERY, rank: 1, network: ['a:1'], timeoutMs: 10, maxOutputBytes: 10 };

  it('is within itself, and within one that is wider', () => {
    expect(profileWithin(outer, outer)).toBe(true);
    expect(profileWithin({ ...outer, rank: 0, network: 'deny', timeoutMs: 9, maxOutputBytes: 9 }, outer)).toBe(true);
    expect(profileWithin(outer, { ...outer, isolation: 'none' })).toBe(true);
    const open: Profile = { ...outer, isolation: 'none' };
    expect(profileWithin(open, open)).toBe(true);
  });

  it.each<[string, Partial<Profile>]>([
    ['ranks higher', { rank: 2 }],
    ['holds more', { closure: [...QUERY.closure, 'inspect_disk'] }],
    ['reaches further', { network: 'allow' }],
    ['runs longer', { timeoutMs: 11 }],
    ['keeps more', { maxOutputBytes: 11 }],
    ['is not isolated', { isolation: 'none' }],
  ])('is not within one than which it %s', (_, change) => {
    expect(profileWithin({ ...outer, ...change }, outer)).toBe(false);
  });
});

describe('the way down', () => {
  const way = (node: Record<string, string>, own: Record<string, string>) =>
    descend(PROFILES, node, own, 'system-change');

  it('takes the lower of two ceilings, whichever it is', () => {
    expect(way({}, {})).toEqual(['system-change']);
    expect(way({ 'system-change': 'repo-dev' }, {})).toEqual(['system-change', 'repo-dev']);
    expect(way({}, { 'system-change': 'repo-dev' })).toEqual(['system-change', 'repo-dev']);
    expect(way({ 'system-change': 'repo-dev' }, { 'system-change': 'query' })).toEqual(['system-change', 'query']);
    expect(way({ 'system-change': 'query' }, { 'system-change': 'repo-dev' })).toEqual(['system-change', 'query']);
    expect(way({ 'system-change': 'repo-dev', 'repo-dev': 'query' }, {})).toHaveLength(3);
  });

  it('ends at a profile met twice, and prefers the node where one is not defined', () => {
    expect(way({ 'system-change': 'query', query: 'system-change' }, {})).toEqual(['system-change', 'query']);
    expect(way({ 'system-change': 'gone' }, { 'system-change': 'query' })).toEqual(['system-change', 'gone']);
    expect(way({ 'system-change': 'query' }, { 'system-change': 'gone' })).toEqual(['system-change', 'query']);
  });
});

describe('a hint', () => {
  const known = (count: number): ReadonlyMap<string, unknown> =>
    new Map(Array.from({ length: count }, (_, at) => [`known-${String(at).padStart(4, '0')}`, at]));

  it('names the nearest, or all where they are few, or says to define it', () => {
    expect(didYouMean('knwn-0001', known(3))).toBe(', write `known-0001`');
    expect(didYouMean('zzz', known(2))).toBe(', defined are `known-0000`, `known-0001`');
    expect(didYouMean('zzz', known(12))).toContain('`known-0011`');
    expect(didYouMean('zzz', known(13))).toBe(', define it first');
    expect(didYouMean('zzz', known(0))).toBe(', define it first');
  });

  it('looks at two hundred at most', () => {
    expect(didYouMean('known-9', new Map([...known(200), ['known-9x', 1]]))).not.toContain('known-9x');
  });
});

describe('what is wrong with a ceiling', () => {
  const wrong = (text: string): readonly string[] => {
    const compiled = compileConfig(text);
    return compiled.ok ? [] : compiled.violations.map(({ path, message }) => `${path}: ${message}`);
  };
  const profile = (name: string, more = ''): string =>
    `[profiles.${name}]\ncapabilities = ["inspect_status"]\nrunner = "shell"\n${more}`;
  const head = `schema = 1\n[node]\nname = "x"\n${profile('a')}${profile('b')}${profile('c')}${profile('d')}`;

  it.each([
    ['max_output = "9MiB"', 'its output limit is larger'],
    ['timeout = "31m"', 'its timeout is longer'],
    ['isolation = "none"', 'it drops the isolation'],
    ['rank = 1', 'rank 1 is above 0'],
  ])('is said: %s', (more, why) => {
    expect(wrong(`${head}${profile('wide', `${more}\n`)}[profile_ceilings]\na = "wide"\n`)).toEqual([
      `profile_ceilings.a: \`wide\` is no cap for \`a\`: ${why}; name a profile within it`,
    ]);
  });

  it('names all that it holds more', () => {
    const wide = profile('wide').replace('"inspect_status"', '"inspect_status", "inspect_disk", "inspect_logs"');
    expect(wrong(`${head}${wide}[profile_ceilings]\na = "wide"\n`)[0]).toContain(
      'it holds inspect_disk, inspect_logs;',
    );
  });

  it('is a circle, named from its first profile on, not from where one comes to it', () => {
    expect(wrong(`${head}[profile_ceilings]\na = "b"\nb = "c"\nc = "b"\n`)).toEqual([
      'profile_ceilings.b: ceilings go in a circle: b → c → b; take one of them out',
    ]);
    expect(wrong(`${head}[profile_ceilings]\nc = "d"\n[self.profile_ceilings]\na = "b"\nb = "c"\nd = "b"\n`)).toEqual([
      'self.profile_ceilings.b: ceilings go in a circle: b → c → d → b; take one of them out',
    ]);
    expect(wrong(`${head}[profile_ceilings]\nb = "c"\nc = "d"\n[self.profile_ceilings]\na = "b"\nd = "b"\n`)).toEqual([
      'self.profile_ceilings.d: ceilings go in a circle: d → b → c → d; take one of them out',
    ]);
  });

  it('is told once where the node goes in a circle, and not again for each subject', () => {
    const circle = '[profile_ceilings]\na = "b"\nb = "a"\n';
    expect(wrong(`${head}${circle}[self.profile_ceilings]\nc = "a"\n`)).toHaveLength(1);
    expect(wrong(`${head}${circle}[self.profile_ceilings]\na = "b"\n`)).toHaveLength(1);
  });

  it('is shown up to sixteen profiles', () => {
    const circle = (count: number): string => {
      const names = Array.from({ length: count }, (_, at) => `p${at}`);
      const ceilings = names.map((name, at) => `${name} = "p${(at + 1) % count}"\n`).join('');
      return (
        wrong(
          `schema = 1\n[node]\nname = "x"\n${names.map((name) => profile(name)).join('')}[profile_ceilings]\n${ceilings}`,
        )[0] ?? ''
      );
    };
    expect(circle(16)).toContain('p14 → p15 → p0;');
    expect(circle(17)).toContain('p14 → p15 → … 1 more → p0;');
  });
});
