import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '@writ/core';
import {
  createTestMesh,
  enrollPerson,
  type MeshNode,
  startAgent,
  type TestAgent,
  type TestPerson,
} from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const mesh = createTestMesh();
let node: MeshNode;
let alice: TestPerson;
let agent: TestAgent;

beforeAll(async () => {
  node = await mesh.add('made');
  alice = await enrollPerson(node, 'alice');
  agent = await startAgent(node, undefined, ['--setup']);
}, 120_000);
afterAll(async () => {
  await agent.close();
  await mesh.close();
}, 60_000);

const configuration = (): string => readFileSync(node.configFile, 'utf8');
const comments = (): readonly string[] => configuration().match(/#.*/g) ?? [];
const reader = { capabilities: ['inspect_status'], runner: 'shell', isolation: 'none', commands: [['uptime']] };
const effectFor = async (profile: string): Promise<string> =>
  (await node.client().call('policy_explain', { profile })).effect;

describe('an agent that sets a node up', () => {
  it('sees what a change would be, and the node stays as it is', async () => {
    const before = configuration();
    const shown = await agent.call('setup_profile', { name: 'reader', ...reader, dry_run: true });
    expect(shown).toMatchObject({ changed: false, valid: true });
    expect(shown.difference).toContain('+[profiles.reader]');
    expect(configuration()).toBe(before);
  });

  it('puts in force what gives nobody more, with every comment kept', async () => {
    const before = comments();
    const made = await agent.call('setup_profile', { name: 'reader', ...reader });
    expect(made).toMatchObject({ changed: true, in_force: true, waits: [] });
    expect(comments()).toEqual(before);
    await agent.call('setup_profile', { name: 'tiny', ...reader, commands: [['true']] });
    expect(await agent.call('setup_ceiling', { profile: 'reader', ceiling: 'tiny' })).toMatchObject({ in_force: true });
    expect(await agent.call('setup_ceiling_remove', { profile: 'system-change', dry_run: true })).toMatchObject({
      valid: true,
    });
  });

  it('writes nothing that does not load, and says where it is wrong', async () => {
    const before = configuration();
    for (const [tool, input] of [
      ['setup_profile', { name: 'reader', capabilities: ['edit_repo'] }],
      ['setup_ceiling', { profile: 'query', ceiling: 'repo-dev' }],
      ['setup_configuration', { text: 'schema = 1\n[node', digest: sha256Hex(before) }],
      ['setup_profile_remove', { name: 'query' }],
    ] as const) {
      const { valid, changed, violations } = await agent.call(tool, input);
      expect({ valid, changed }, tool).toEqual({ valid: false, changed: false });
      expect(violations, tool).not.toEqual([]);
    }
    expect(configuration()).toBe(before);
  });

  it('waits for a person with what gives somebody more, and cannot answer its own question', async () => {
    const profiles = ['query', 'readonly-agent', 'repo-dev', 'reader'];
    const shown = await agent.call('setup_self', { profiles, dry_run: true });
    expect(shown).toMatchObject({ changed: false, in_force: false });
    expect(shown).not.toHaveProperty('approval');
    const asked = await agent.call('setup_self', { profiles });
    expect(asked).toMatchObject({ changed: true, in_force: false });
    // Each profile that it names is told whole, and nobody else gains by it.
    const waits = asked.waits as readonly { readonly subject: string; readonly effect: string }[];
    expect(shown.waits).toEqual(waits);
    // What waits is what goes beyond the accepted policy, although the file says it already.
    expect(await agent.call('setup_self', { profiles, dry_run: true })).toMatchObject({ changes: [], waits });
    expect(waits).toContainEqual(expect.objectContaining({ subject: 'self', effect: 'gains' }));
    expect(waits.filter(({ subject }) => !/^(self|profile )/.test(subject))).toEqual([]);
    expect(asked.next_steps).toEqual([expect.stringContaining(`writ approval approve ${asked.approval}`)]);
    expect(await effectFor('reader')).toBe('deny');
    const tools = await agent.tools();
    expect(tools.filter((name) => /approve|decide|confirm|enroll|accept|grant|join|widen/.test(name))).toEqual([]);
    for (const name of ['approval_decide', 'policy_reload', 'peer_confirm', 'lease_grant', 'approver_enroll']) {
      expect(await agent.try(name, { accept: true }), name).toMatchObject({ failed: true });
    }
    expect(await agent.call('setup_reload', {})).toMatchObject({ in_force: false });
    expect(await effectFor('reader')).toBe('deny');
    expect((await alice.answer(String(asked.approval), 'approve')).decided).toBe(true);
    await expect.poll(() => effectFor('reader')).toBe('allow');
  });

  it('makes no workspace of the whole file system, of the home, or of what is the node’s own', async () => {
    const before = configuration();
    for (const path of ['/', '~', mesh.dir, join(node.home, 'keys')]) {
      const { changed, violations } = await agent.call('setup_workspace', { name: 'lib', path });
      expect([path, changed]).toEqual([path, false]);
      expect(violations).toMatchObject([
        { path: 'workspaces.lib.path', message: expect.stringContaining('name the folder') },
      ]);
    }
    expect(configuration()).toBe(before);
  });

  it('takes the last change back, and once more is a change of its own', async () => {
    const before = configuration();
    const { digest } = await agent.call('setup_workspace', { name: 'lib', path: join(mesh.dir, 'lib') });
    expect(configuration()).toContain('[workspaces.lib]');
    expect(await agent.try('setup_revert', { digest: sha256Hex(before) })).toMatchObject({ failed: true });
    expect(await agent.call('setup_revert', { digest })).toMatchObject({ changed: true, digest: sha256Hex(before) });
    expect(configuration()).toBe(before);
  });

  it('writes over nothing that a person changed since it read the file', async () => {
    const { text, digest } = await agent.call('setup_show', {});
    const theirs = `${text}# by hand\n`;
    writeFileSync(node.configFile, theirs, { mode: 0o600 });
    for (const [tool, input] of [
      ['setup_configuration', { text: `${text}# by the agent\n`, digest }],
      ['setup_configuration', { text: `${text}# by the agent\n`, digest, dry_run: true }],
      ['setup_revert', { digest }],
    ] as const) {
      const refused = await agent.try(tool, input);
      expect(refused, tool).toMatchObject({ failed: true, text: expect.stringContaining('setup_show') });
      expect(configuration()).toBe(theirs);
    }
    const again = await agent.call('setup_show', {});
    expect(again.text).toBe(theirs);
    const { digest: now } = again;
    const mine = `${theirs}# by the agent\n`;
    expect(await agent.call('setup_configuration', { text: mine, digest: now })).toMatchObject({
      ...{ changed: true, in_force: true, digest: sha256Hex(mine) },
    });
  });

  it('takes away at once', async () => {
    expect(await agent.call('setup_self', { profiles: ['query'] })).toMatchObject({ in_force: true, waits: [] });
    expect(await effectFor('reader')).toBe('deny');
  });

  it('is told what persons type for the rest', async () => {
    const invite = await agent.call('setup_invite', { profiles: ['query'], workspaces: [], lease: '1h' });
    expect(invite.here).toBe('writ peer invite --profiles query --lease 1h');
    expect(await agent.try('setup_invite', { profiles: ['none'] })).toMatchObject({ failed: true });
    const { clients } = (await agent.call('setup_clients', {})) as { clients: readonly { readonly client: string }[] };
    expect(clients.map(({ client }) => client)).toContain('claude');
    expect(await agent.call('setup_client', { client: 'cursor' })).toMatchObject({
      install: 'writ mcp install --client cursor',
    });
    expect(await agent.call('setup_service', {})).toMatchObject({ installed: false, install: 'writ service install' });
  });
});

describe('an agent that does not', () => {
  it('is offered none of it', async () => {
    const other = await startAgent(node, undefined, ['--toolsets', 'all']);
    try {
      expect((await other.tools()).filter((name) => name.startsWith('setup_'))).toEqual([]);
      expect(await other.try('setup_show', {})).toMatchObject({ failed: true });
    } finally {
      await other.close();
    }
  });
});

describe('an address that an agent writes into writ.toml', () => {
  it('is not opened before a person accepts it, and then takes a restart that status asks for', async () => {
    const setup = await startAgent(node, undefined, ['--setup']);
    const { text, digest } = await setup.call('setup_show', {});
    const listening = `${text}[gateway]\nlisten = "127.0.0.1:0"\n`;
    const asked = await setup.call('setup_configuration', { text: listening, digest });
    await setup.close();
    const what = 'serves MCP and events on `127.0.0.1:0`';
    expect(asked).toMatchObject({ changed: true, in_force: false, restart_needed: [], waits: [{ what }] });
    await node.down();
    await node.up();
    expect((await node.writ('policy', 'status')).stdout).toContain(`waits: node gains ${what}`);
    expect(await node.client().call('node_status', {})).not.toHaveProperty('http_address');
    expect((await alice.answer(String(asked.approval), 'approve')).decided).toBe(true);
    const restart = 'takes a restart: gateway.listen';
    await expect.poll(async () => (await node.writ('status')).stdout).toContain(restart);
    await node.down();
    await node.up();
    expect(await node.client().call('node_status', {})).toMatchObject({ http_address: expect.any(String) });
  });
});
