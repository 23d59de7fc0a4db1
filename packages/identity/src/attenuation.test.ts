import { describe, expect, it } from 'vitest';
import { widenedField } from './attenuation.ts';
import type { WritClaims, WritGrant } from './types.ts';

const PARENT: WritClaims = {
  v: 1,
  iss: 'a',
  aud: 'b',
  task: 'task',
  origin: 'a',
  session: 'session',
  agent: 'agent',
  grant: {
    closure: ['edit_repo', 'read_repo'],
    workspaces: ['app', 'docs'],
    network: ['a.example:443', 'b.example:443'],
    maxOutputBytes: 1000,
  },
  depth: 2,
  iat: 100,
  exp: 200,
  nonce: 'n',
  request: 'r',
  generation: 1,
};

type Change = Partial<Pick<WritClaims, 'depth' | 'exp'>> & Partial<WritGrant>;

/** A child with one hop less and nothing else changed, but for `change`. */
function child({ depth = 1, exp = 200, ...grant }: Change): WritClaims {
  return { ...PARENT, depth, exp, grant: { ...PARENT.grant, ...grant } };
}

describe('a child of a writ', () => {
  it.each<[string, Change]>([
    ['the same but for its depth', {}],
    ['of no depth', { depth: 0 }],
    ['that ends earlier', { exp: 199 }],
    ['with fewer capabilities', { closure: ['read_repo'] }],
    ['without capabilities', { closure: [] }],
    ['with fewer workspaces', { workspaces: ['docs'] }],
    ['without workspaces', { workspaces: [] }],
    ['with fewer hosts', { network: ['b.example:443'] }],
    ['without the network', { network: 'deny' }],
    ['with less output', { maxOutputBytes: 999 }],
  ])('%s lies within it', (_what, change) => {
    expect(widenedField(PARENT, child(change))).toBeUndefined();
  });

  it.each<[string, Change, string]>([
    ['as deep', { depth: 2 }, 'depth'],
    ['deeper', { depth: 3 }, 'depth'],
    ['that ends later', { exp: 201 }, 'exp'],
    ['with one capability more', { closure: ['edit_repo', 'push_repo', 'read_repo'] }, 'grant.closure'],
    ['with another capability', { closure: ['push_repo'] }, 'grant.closure'],
    ['with one workspace more', { workspaces: ['app', 'docs', 'secret'] }, 'grant.workspaces'],
    ['with another host', { network: ['a.example:443', 'c.example:443'] }, 'grant.network'],
    ['with the whole network', { network: 'allow' }, 'grant.network'],
    ['with more output', { maxOutputBytes: 1001 }, 'grant.maxOutputBytes'],
  ])('%s is wider', (_what, change, field) => {
    expect(widenedField(PARENT, child(change))).toBe(field);
  });

  it.each<[WritGrant['network'], WritGrant['network'], boolean]>([
    ['allow', 'allow', true],
    ['allow', ['a.example:443'], true],
    ['allow', 'deny', true],
    ['deny', 'deny', true],
    ['deny', ['a.example:443'], false],
    ['deny', 'allow', false],
    [['a.example:443'], 'deny', true],
    [['a.example:443'], 'allow', false],
  ])('has of the network %j at most that: %j: %s', (outer, inner, isWithin) => {
    const parent = { ...PARENT, grant: { ...PARENT.grant, network: outer } };
    expect(widenedField(parent, child({ network: inner }))).toBe(isWithin ? undefined : 'grant.network');
  });
});
