import { foldName } from '@writ/core';
import { hostileNames } from '@writ/testkit/names';
import { describe, expect, it } from 'vitest';
import { compileConfig } from './compile.ts';
import { decideWith } from './decide.ts';
import { addPeer } from './edit.ts';
import { decideOutboundWith } from './outbound.ts';
import { BASE, load, requestFrom } from './testing/fixtures.ts';
import { SELF_ID, testId } from './testing/testing.ts';
import { validateProfile } from './validate-profile.ts';

const ATTACKS = hostileNames();

/** Spellings that are the same name. */
const SAME = ['query', 'QUERY', 'Query', 'qUeRy'] as const;

const policy = load(BASE);
const frame = { generation: 1, selfId: SELF_ID };

describe.each(ATTACKS)('$shown', ({ name }) => {
  it('is no name that a configuration takes, or one of its own', () => {
    const key = JSON.stringify(name).replaceAll('\u007f', '\\u007f');
    const profile = compileConfig(`${BASE}[profiles.${key}]\ncapabilities = ["inspect_disk"]\nrunner = "shell"\n`);
    const asked = compileConfig(BASE.replace('default_profile = "query"', `default_profile = ${key}`));
    if (foldName(name) === undefined) {
      expect(profile.ok).toBe(false);
      expect(asked.ok).toBe(false);
    } else {
      expect(profile.ok && profile.policy.config.profiles.get(foldName(name) ?? '')?.capabilities).toEqual([
        'inspect_disk',
      ]);
      expect(asked.ok ? [] : asked.violations.map(({ code }) => code)).toContain('UNKNOWN_PROFILE');
    }
    expect(profile.ok && profile.policy.config.profiles.get('query')?.capabilities).not.toEqual(['inspect_disk']);
  });

  it('is refused where a request, an agent here or a question about a profile names it', () => {
    const decision = decideWith(policy.index, requestFrom('laptop', { profile: name, workspace: 'app' }), frame);
    expect(decision).toMatchObject({ effect: 'deny', code: 'PROFILE_UNKNOWN' });
    for (const change of [{ runner: name }, { workspace: name }]) {
      const request = requestFrom('laptop', { profile: 'query', ...change });
      expect(decideWith(policy.index, request, frame).effect).toBe('deny');
    }
    expect(decideWith(policy.index, { ...requestFrom('laptop'), from: name, chain: [name] }, frame).code).toBe(
      'PEER_UNKNOWN',
    );
    expect(decideOutboundWith(policy.index, { to: 'laptop', profile: name, ship: false }, 1).effect).toBe('deny');
    expect(decideOutboundWith(policy.index, { to: name, profile: 'query', ship: false }, 1).effect).toBe('deny');
    if (foldName(name) === undefined) {
      const flags = { requireExplicit: false, requireLease: false };
      const { violations } = validateProfile({ name, capabilities: ['inspect_disk'], ...flags });
      expect(violations.map(({ code }) => code)).toContain('BAD_NAME');
    }
  });

  it('names no peer that is written into a file', () => {
    if (foldName(name) !== undefined) return;
    const id = testId('new');
    let text: string;
    try {
      text = addPeer(BASE, { label: name, id, profiles: [], workspaces: [] });
    } catch {
      return;
    }
    expect(compileConfig(text).ok).toBe(false);
  });
});

describe.each(SAME)('%s', (name) => {
  it('is one and the same name wherever it is written', () => {
    const decision = decideWith(policy.index, requestFrom('laptop', { profile: name, workspace: 'APP' }), frame);
    expect(decision).toMatchObject({ effect: 'allow', effectiveProfile: 'query' });
    expect(decideOutboundWith(policy.index, { to: 'LAPTOP', profile: name, ship: false }, 1).effect).toBe('allow');
    const twice = compileConfig(`${BASE}[profiles.${name}x]\nrunner = "shell"\n[profiles.QUERYX]\nrunner = "shell"\n`);
    if (name !== 'QUERY') {
      expect(twice.ok ? [] : twice.violations.map(({ code }) => code)).toContain('NAME_CONFLICT');
    }
  });
});
