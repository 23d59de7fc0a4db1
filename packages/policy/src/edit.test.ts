import { describe, expect, it } from 'vitest';
import { compileConfig, formatViolations } from './compile.ts';
import { addPeer, readPeer, removePeer, updatePeer } from './edit.ts';
import { stockConfig } from './stock.ts';
import { testId } from './testing/testing.ts';
import type { Config } from './types.ts';

const TEXT = `# my node
schema = 1 # the first

# about the node
[node]
name = "box" # its label
default_profile = "query"

[workspaces.app]
path = "."

[profiles.query] # looks
capabilities = ["inspect_status"] # only this
runner = "shell"

# the laptop of Ann
[peers.Laptop]
id = "${testId('laptop')}" # hers
profiles = [
  "query", # reads
]
[peers.Laptop.outbound]
profiles = ["query"] # last line of it

# the desk
[peers.desk]
id = "${testId('desk')}"
accept_origins = ["laptop"]

[[tests]] # about the laptop
from = "laptop"
profile = "query"
expect = "allow:query"

[[tests]]
from = "nobody"
profile = "query"
expect = "deny:PEER_UNKNOWN"
`;

function load(text: string): Config {
  const result = compileConfig(text);
  if (!result.ok) throw new Error(formatViolations(result.violations));
  return result.policy.config;
}

const RACK = { label: 'rack', id: testId('rack'), profiles: ['query'], workspaces: ['app'] };

it('reads a peer by its node id in any letter case, and what is no list as none', () => {
  const text =
    '[peers.Lap]\nid = "WN-AB"\nprofiles = ["a", 1]\nworkspaces = "b"\n[peers.x]\n[peers.Lap.outbound]\nprofiles = ["c"]\n';
  const outbound = { profiles: ['c'], workspaces: [] };
  expect(readPeer(text, 'wn-ab')).toEqual({ label: 'Lap', profiles: ['a'], workspaces: [], outbound });
  expect(readPeer(text, 'wn-cd')).toBeUndefined();
});

describe('adding a peer', () => {
  it('puts it after the other peers and keeps every line that was there', () => {
    const outbound = { profiles: ['query'], workspaces: [], ship: true };
    const text = addPeer(TEXT, { ...RACK, address: 'rack.lan:7420', maxDepth: 2, outbound });
    const lines = text.split('\n');
    expect(TEXT.split('\n').filter((line) => !lines.includes(line))).toEqual([]);
    expect(lines.indexOf('[peers.rack]')).toBeGreaterThan(lines.indexOf('accept_origins = ["laptop"]'));
    expect(lines.indexOf('[peers.rack]')).toBeLessThan(lines.indexOf('[[tests]]'));
    expect(load(text).peers.get('rack')).toMatchObject({ address: 'rack.lan:7420', maxDepth: 2, outbound });
    expect(load(text).peers.get('laptop')).toEqual(load(TEXT).peers.get('laptop'));
  });

  it('works where there is no peer yet, and where the text has no last line end', () => {
    const stock = stockConfig({ nodeName: 'box', workspaces: [{ name: 'app', path: '.' }], isolation: 'none' });
    for (const text of [stock, stock.trimEnd(), stock.replaceAll('\n', '\r\n')]) {
      expect(load(addPeer(text, RACK)).peers.get('rack')?.id).toBe(RACK.id);
      expect(addPeer(text, RACK).startsWith(text.trimEnd())).toBe(true);
    }
  });

  it('works where the peers are written inline', () => {
    const text = TEXT.replace(/# the laptop[\s\S]*# the desk[\s\S]*?\n\n/, '').replace(
      'schema = 1',
      `peers.desk = { id = "${testId('desk')}" }\nschema = 1`,
    );
    const added = addPeer(text.replace(/\[\[tests\]\] # about[\s\S]*?\n\n/, ''), RACK);
    expect([...load(added).peers.keys()].sort()).toEqual(['desk', 'rack']);
  });

  it('refuses a label that is taken in another letter case', () => {
    expect(() => addPeer(TEXT, { ...RACK, label: 'LAPTOP' })).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
  });

  it('writes what it is given and nothing beside it', () => {
    const address = '"]\n[peers.evil]\nid = "x';
    expect(addPeer(TEXT, { ...RACK, address })).not.toContain('\n[peers.evil]');
  });

  it('takes a label that has to be quoted', () => {
    expect(load(addPeer(TEXT, { ...RACK, label: 'rack.lan' })).peers.has('rack.lan')).toBe(true);
  });
});

describe('changing a peer', () => {
  it('writes the given keys anew and keeps the comments', () => {
    const text = updatePeer(TEXT, 'laptop', {
      maxDepth: 3,
      profiles: ['query'],
      outbound: { profiles: [], workspaces: [] },
    });
    expect(load(text).peers.get('laptop')).toMatchObject({ maxDepth: 3, outbound: { profiles: [] } });
    expect(text).toContain('# hers');
    expect(text).toContain('# the laptop of Ann');
  });

  it('switches a peer off that has no such key yet', () => {
    expect(load(updatePeer(TEXT, 'desk', { enabled: false })).peers.get('desk')?.enabled).toBe(false);
  });

  it('knows no peer that is not there', () => {
    expect(() => updatePeer(TEXT, 'rack', {})).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  });
});

describe('removing a peer', () => {
  it('takes its tables, its comments and what only speaks of it', () => {
    const text = removePeer(TEXT, 'laptop');
    expect([...load(text).peers.keys()]).toEqual(['desk']);
    expect(load(text).peers.get('desk')?.acceptOrigins).toEqual([]);
    for (const gone of ['Ann', 'hers', 'last line of it', 'about the laptop']) expect(text).not.toContain(gone);
    for (const kept of ['# my node', '# looks', '# only this', '# the desk', 'from = "nobody"'])
      expect(text).toContain(kept);
  });

  it('gives back the text from before a peer was added', () => {
    expect(removePeer(addPeer(TEXT, RACK), 'rack')).toBe(TEXT);
  });

  it('removes the last one', () => {
    expect(load(removePeer(removePeer(TEXT, 'laptop'), 'desk')).peers.size).toBe(0);
  });

  it('removes one that is written inline', () => {
    const text = `peers.desk = { id = "${testId('desk')}" }\nschema = 1\n[node]\nname = "box"\n`;
    expect(load(removePeer(text, 'desk')).peers.size).toBe(0);
  });

  it('knows no peer that is not there', () => {
    expect(() => removePeer(TEXT, 'rack')).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  });

  it('says so where the text is no TOML', () => {
    expect(() => removePeer('[', 'rack')).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});
