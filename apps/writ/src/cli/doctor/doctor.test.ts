import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WritError } from '@writ/core';
import { stockConfig } from '@writ/policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ListedRunners } from '../runner/runner-text.ts';
import { type FakeNode, runWrit, startFakeNode } from '../testing/fake-node.ts';
import { registrationFindings } from './clients.ts';
import { modes, portFinding } from './home.ts';
import { gitFinding, nodeVersion, roomFinding } from './machine.ts';
import { lookAtNode } from './node.ts';
import { runnerFindings } from './runners.ts';
import { serviceFinding } from './service.ts';
import type { Finding } from './types.ts';

let node: FakeNode;
beforeEach(async () => {
  node = await startFakeNode();
  chmodSync(node.home.root, 0o700);
  const text = stockConfig({ nodeName: 'solo', listen: '127.0.0.1:0', workspaces: [], isolation: 'none' });
  writeFileSync(node.home.configFile, text, { mode: 0o600 });
  node.answers.node_status = () => WELL;
  node.answers.runner_list = () => RUNNERS;
});
afterEach(() => node.stop());

const WELL = {
  ...{ id: 'wn-x', name: 'solo', version: '0.1.0', pid: 1, started_at_ms: 1, uptime_ms: 1, home: '/h' },
  ...{ mesh_address: '127.0.0.1:1', clock_is_backwards: false, unseparated: false, generation: 3 },
  ...{
    policy_digest: 'd',
    policy_parked: 0,
    policy_shut: false,
    restart_needed: [],
    live_leases: 0,
    running_asked: 0,
    running_here: 0,
  },
  ...{
    audit: { rows: 2, written: 2, signed: 2, next_steps: [] },
    sandbox: 'bwrap',
    isolation_none: [],
    held_work: [],
    keep_tasks_ms: 1,
    undeleted_workspaces: [],
    unreadable_rows: [],
    upstream_problems: [],
  },
  peers: [{ label: 'beta', id: 'wn-b', enabled: true, link: 'up' }],
};

const AGENT: ListedRunners['agents'][number] = {
  ...{ name: 'claude', kind: 'claude', argv: ['claude'], installed: true, asks_leave: true, usage: [] },
  ...{ runners: ['coder'], next_steps: [] },
};
const RUNNER: ListedRunners['runners'][number] = {
  ...{ name: 'coder', kind: 'claude', program: 'claude', profiles: ['fix'], problems: [] },
};
const RUNNERS: ListedRunners = { sandbox: 'bwrap', runners: [RUNNER], agents: [AGENT] };
const PROBLEM = { profile: 'fix', message: 'not found', next_steps: ['install it'] };
const CLIENT = { client: 'codex', title: 'Codex', file: '/h/c.toml', isHere: true } as const;
const SERVICE = { kind: 'systemd', file: '/h/writ.service', active: true } as const;

async function findings(): Promise<readonly Finding[]> {
  const { out } = await node.writ('doctor', '--json');
  return (JSON.parse(out) as { readonly findings: Finding[] }).findings;
}

const of = async (check: string) => (await findings()).filter((finding) => finding.check === check);

describe('writ doctor', () => {
  it('finds nothing wrong with a node that is well', async () => {
    const { code, out } = await node.writ('doctor');
    expect(out).toContain('ok       node: solo runs, pid 1, version 0.1.0\n');
    expect(out).not.toContain('PROBLEM');
    expect(code).toBe(0);
  });

  it.each([
    [
      'MCP server',
      { upstream_problems: [{ upstream: 'search', problem: 'its tool `x` is left out: name: no' }] },
      'warning',
      'look at upstreams.search in writ.toml',
    ],
    ['commands', { commands_problem: 'no file' }, 'problem', 'writ down && writ up'],
    ['clock', { clock_is_backwards: true }, 'problem', 'lease accept-clock'],
    ['policy', { policy_error: 'line 3' }, 'problem', 'writ policy validate'],
    ['policy', { policy_shut: true }, 'problem', 'writ policy reload --accept'],
    ['policy', { policy_parked: 2 }, 'warning', 'writ policy diff'],
    ['policy', { restart_needed: ['gateway.listen'] }, 'warning', 'writ down && writ up'],
    ['policy', { isolation_none: ['query'] }, 'note', 'writ policy reload'],
    ['approver', { unseparated: true }, 'warning', 'writ approver enroll'],
    ['audit log', { audit: { ...WELL.audit, rows: 9, problem: 'full', next_steps: ['df'] } }, 'problem', 'df'],
    ['kept work', { held_work: [{ sender: 'beta', bytes: 80, share_bytes: 100 }] }, 'warning', 'prune --unbundled ID'],
    ['kept work', { held_work: [{ sender: 'beta', bytes: 101, share_bytes: 100 }] }, 'problem', 'prune --unbundled ID'],
    [
      'kept work',
      { held_work: [{ sender: 'beta', bytes: 2 ** 44, share_bytes: 100 }] },
      'problem',
      'prune --unbundled ID',
    ],
    ['kept work', { held_work: [{ sender: 'beta', bytes: 79, share_bytes: 100 }] }, 'ok', ''],
    ['deletion', { undeleted_workspaces: ['/w/trash-1'] }, 'warning', '/w/trash-1'],
    ['database', { unreadable_rows: ['task/a', 'lease/b'] }, 'problem', 'backup'],
    ['peers', { peers: [] }, 'note', 'writ peer invite'],
    ['peers', { peers: [{ ...WELL.peers[0], link: 'down' }] }, 'warning', 'writ peer show beta'],
    ['reach', { mesh_address: undefined }, 'note', '[node] listen'],
  ])('says of %s %j that it is a %s, and what mends it', async (check, change, state, mend) => {
    node.answers.node_status = () => ({ ...WELL, ...change });
    const found = await of(check);
    expect(found).toMatchObject([{ state }]);
    expect(found[0]?.mend.join('\n')).toContain(mend);
    expect((await node.writ('doctor')).code).toBe(state === 'problem' ? 1 : 0);
  });

  it('says where a configuration is wrong, and that others can read it', async () => {
    writeFileSync(node.home.configFile, 'schema = 1\n[node]\nnme = "x"\n');
    chmodSync(node.home.configFile, 0o644);
    expect(await of('configuration')).toMatchObject([
      { state: 'problem', says: expect.stringContaining('line '), mend: ['writ policy validate'] },
    ]);
    expect(await of('home')).toMatchObject([
      { state: 'problem', mend: expect.arrayContaining([`chmod 600 ${node.home.configFile}`]) },
    ]);
  });

  it('says of a node that hangs what its calls end with', async () => {
    const unanswered = new WritError('UNREACHABLE', 'the node (pid 7) hangs', { nextSteps: ['kill -9 7'] });
    const context = { home: node.home } as Parameters<typeof lookAtNode>[0]['context'];
    expect(await lookAtNode({ context, status: undefined, unanswered })).toEqual([
      { check: 'node', state: 'problem', says: 'the node (pid 7) hangs', mend: ['kill -9 7'] },
    ]);
  });

  it('starts a node that does not run, and makes one that is not there', async () => {
    const root = mkdtempSync(join(tmpdir(), 'writ-doc-'));
    const told = await runWrit(root, ['doctor']);
    expect(told.code).toBe(1);
    expect(told.out).toContain('PROBLEM  home: there is no node in');
    expect(told.out).toContain('→ writ init');
    mkdirSync(join(root, 'keys'));
    writeFileSync(join(root, 'writ.toml'), 'schema = 1\n[node]\nname = "x"\n', { mode: 0o600 });
    expect((await runWrit(root, ['doctor'])).out).toContain('PROBLEM  node: it does not run\n           → writ up');
    rmSync(root, { recursive: true });
  });
});

describe('what surrounds the node', () => {
  it('is looked at too: runners, the service, agents', async () => {
    const checks = (await findings()).map(({ check }) => check);
    expect(checks).toEqual(expect.arrayContaining(['copies', 'runners', 'service', 'mcp']));
    expect(await of('runners')).toMatchObject([{ state: 'ok', says: 'agents that do work: claude' }]);
  });

  it.each<[readonly Finding[], Finding['state'], string]>([
    [registrationFindings([{ ...CLIENT, state: 'registered' }]), 'ok', ''],
    [registrationFindings([{ ...CLIENT, state: 'absent' }]), 'note', 'writ mcp install --client codex'],
    [registrationFindings([{ ...CLIENT, state: 'other' }]), 'warning', 'writ mcp install --client codex'],
    [registrationFindings([{ ...CLIENT, state: 'foreign' }]), 'warning', 'look at it'],
    [registrationFindings([{ ...CLIENT, state: 'unreadable', problem: 'line 3' }]), 'warning', 'mend /h/c.toml'],
    [registrationFindings([{ ...CLIENT, isHere: false, state: 'absent' }]), 'note', 'writ mcp clients'],
    [[serviceFinding({ ...SERVICE, installed: 'yes' })], 'ok', ''],
    [[serviceFinding({ ...SERVICE, installed: 'no' })], 'note', 'writ service install'],
    [[serviceFinding({ ...SERVICE, installed: 'other' })], 'warning', 'writ service install'],
    [runnerFindings({ ...RUNNERS, runners: [{ ...RUNNER, problems: [PROBLEM] }] }), 'warning', 'install it'],
    [runnerFindings({ ...RUNNERS, runners: [{ ...RUNNER, profiles: [], problems: [PROBLEM] }] }), 'ok', ''],
    [runnerFindings({ ...RUNNERS, agents: [{ ...AGENT, runners: [] }] }), 'note', 'writ runner doctor'],
    [runnerFindings({ ...RUNNERS, agents: [{ ...AGENT, installed: false }] }), 'note', 'writ runner list'],
  ])('%j is a %s', (found, state, mend) => {
    expect(found).toMatchObject([{ state }]);
    expect(found[0]?.mend.join('\n')).toContain(mend);
  });
});

describe('what is looked at', () => {
  it.each([
    [nodeVersion('20.19.0'), 'ok'],
    [nodeVersion('24.1.0'), 'ok'],
    [nodeVersion('20.18.3'), 'problem'],
    [nodeVersion('18.20.0'), 'problem'],
    [gitFinding('git version 2.39.5 (Apple)'), 'ok'],
    [gitFinding('git version 2.38.0\n'), 'ok'],
    [gitFinding('git version 2.25.1\n'), 'warning'],
    [gitFinding(''), 'problem'],
    [roomFinding(2 * 1024 ** 3, '/h'), 'ok'],
    [roomFinding(1024 ** 3 - 1, '/h'), 'warning'],
    [roomFinding(1024, '/h'), 'problem'],
  ])('%j is %s', ({ state, mend }, expected) => {
    expect(state).toBe(expected);
    expect(mend.length > 0).toBe(state !== 'ok');
  });

  it('is whether a home belongs to somebody else', () => {
    const uid = process.getuid?.() ?? 0;
    expect(modes(node.home, uid)).toMatchObject([{ state: 'ok' }]);
    const found = modes(node.home, uid + 1);
    expect(found).toMatchObject([{ state: 'problem', says: expect.stringContaining('belongs to another user') }]);
    expect(found[0]?.mend).toEqual([expect.stringMatching(/^use writ as that user: sudo -u \S+ writ --home /)]);
  });

  it('is whether others can read a key, whoever runs', () => {
    const uid = process.getuid?.() ?? 0;
    mkdirSync(node.home.keysDir, { mode: 0o700 });
    const names = Array.from({ length: 7 }, (_, n) => join(node.home.keysDir, `${n}.pem`));
    for (const name of names) writeFileSync(name, 'key', { mode: 0o644 });
    const found = modes(node.home, uid);
    expect(found.map(({ state }) => state)).toEqual(Array(6).fill('problem'));
    expect(found[0]?.mend[0]).toBe(`chmod 600 ${names[0]}`);
    expect(found[5]?.says).toBe('2 more like these');
  });

  it('is whether the port of a node that does not run is free', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address() as { readonly port: number };
    const taken = await portFinding(`127.0.0.1:${address.port}`);
    expect(taken).toMatchObject({ state: 'problem', says: expect.stringContaining('taken by another program') });
    await new Promise((resolve) => server.close(resolve));
    expect(await portFinding('127.0.0.1:0')).toMatchObject({ state: 'ok' });
    expect(await portFinding('203.0.113.1:1')).toMatchObject({ state: 'problem' });
  });
});
