import { describe, expect, it } from 'vitest';
import { compileConfig, formatViolations } from './compile.ts';
import { dropProfile, dropWorkspace, putCeiling, putPeer, putProfile, putSelf, putWorkspace } from './edit-setup.ts';
import { stockConfig } from './stock.ts';
import { testId } from './testing/testing.ts';
import type { Config } from './types.ts';

const STOCK = `${stockConfig({ nodeName: 'box', workspaces: [{ name: 'app', path: '.' }], isolation: 'none' })}
# hers
[peers.Laptop]
id = "${testId('laptop')}" # the old one
profiles = ["query"]
`;

function load(text: string): Config {
  const result = compileConfig(text);
  if (!result.ok) throw new Error(formatViolations(result.violations));
  return result.policy.config;
}

const comments = (text: string): readonly string[] => text.match(/#.*/g) ?? [];

describe('edits of a configuration', () => {
  it('make, change and drop a profile, and keep every comment of the rest', () => {
    const keys = { capabilities: ['read_repo'], runner: 'shell', commands: [['git', 'log', '-1']] };
    const made = putProfile(STOCK, 'reader', keys);
    expect(load(made).profiles.get('reader')).toMatchObject({ capabilities: ['read_repo'], rank: 1 });
    const changed = putProfile(made, 'READER', { timeout: '5m', commands: undefined });
    expect(load(changed).profiles.get('reader')).toMatchObject({
      capabilities: ['read_repo'],
      timeoutMs: 300_000,
      commands: [],
    });
    expect(comments(changed)).toEqual(comments(STOCK));
    expect(load(dropProfile(changed, 'Reader'))).toEqual(load(STOCK));
  });

  it('change a stock profile in its place', () => {
    const text = putProfile(STOCK, 'repo-dev', { timeout: '5m' });
    expect(load(text).profiles.get('repo-dev')?.timeoutMs).toBe(300_000);
    expect(comments(text)).toEqual(comments(STOCK));
  });

  it('offer a workspace and take it back', () => {
    const text = putWorkspace(STOCK, 'lib', '/srv/lib');
    expect(load(text).workspaces.get('lib')?.path).toBe('/srv/lib');
    expect(dropWorkspace(text, 'lib')).toBe(STOCK);
    expect(load(putWorkspace(STOCK, 'App', '/srv/app')).workspaces.get('app')?.path).toBe('/srv/app');
  });

  it('cut profiles down for everybody and for one peer, and let them through again', () => {
    const all = putCeiling(STOCK, { profile: 'repo-dev', ceiling: 'query' });
    expect(load(all).ceilings).toEqual({ 'system-change': 'repo-dev', 'repo-dev': 'query' });
    const one = putCeiling(all, { profile: 'repo-dev', ceiling: 'query', peer: 'laptop' });
    expect(load(one).peers.get('laptop')?.ceilings).toEqual({ 'repo-dev': 'query' });
    const none = putCeiling(putCeiling(one, { profile: 'repo-dev', ceiling: undefined, peer: 'laptop' }), {
      profile: 'REPO-DEV',
      ceiling: undefined,
    });
    expect(load(none)).toEqual(load(STOCK));
    expect(comments(none)).toEqual(comments(STOCK));
  });

  it('change what a peer may ask, and what may be asked of it', () => {
    const text = putPeer(STOCK, 'laptop', { profiles: [], max_depth: 2 }, { profiles: ['query'], ship: true });
    expect(load(text).peers.get('laptop')).toMatchObject({
      profiles: [],
      maxDepth: 2,
      outbound: { profiles: ['query'], ship: true },
    });
    expect(comments(text)).toEqual(comments(STOCK));
    expect(() => putPeer(STOCK, 'desk', {}, {})).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  });

  it('write what this machine may ask of itself', () => {
    expect(load(putSelf(STOCK, { workspaces: [] })).self.workspaces).toEqual([]);
  });

  it('know nothing that is not there', () => {
    for (const edit of [
      () => dropProfile(STOCK, 'reader'),
      () => dropWorkspace(STOCK, 'lib'),
      () => putCeiling(STOCK, { profile: 'repo-dev', ceiling: undefined }),
      () => putCeiling(STOCK, { profile: 'repo-dev', ceiling: 'query', peer: 'desk' }),
    ]) {
      expect(edit).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
    }
  });
});
