import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createSystemClock } from '@writ/core';
import {
  createTestMesh,
  executingConfig,
  type MeshNode,
  pairNodes,
  startAgent,
  type TestAgent,
} from '@writ/testkit/mesh';
import { hostileNames } from '@writ/testkit/names';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineCommands } from '../../apps/writ/src/cli/commands/index.ts';
import { createProgram, runProgram } from '../../apps/writ/src/cli/program.ts';
import { readEnvironment } from '../../apps/writ/src/env.ts';
import { noTerminal } from '../../apps/writ/src/terminal/terminal.ts';

const mesh = createTestMesh();
let alpha: MeshNode;
let beta: MeshNode;
let agent: TestAgent;
let before: string;

beforeAll(async () => {
  const workspaces = { app: join(mesh.dir, 'app') };
  [alpha, beta] = await Promise.all([
    mesh.add('alpha'),
    mesh.add('beta', { config: (listen) => executingConfig({ name: 'beta', listen, workspaces }) }),
  ]);
  await pairNodes(beta, alpha, { profiles: ['query', 'repo-dev'], workspaces: ['app'] });
  agent = await startAgent(alpha, undefined, ['--toolsets', 'policy']);
  before = await everything();
}, 240_000);
afterAll(async () => {
  await agent.close();
  await mesh.close();
}, 60_000);

/** What a name that gets through would change, at both nodes. */
async function everything(): Promise<string> {
  const nodes = await Promise.all(
    [alpha, beta].map(async (node) => {
      const client = node.client();
      const {
        generation,
        policy_parked: parked,
        running_asked: asked,
        running_here: here,
      } = await client.call('node_status', {});
      const { leases } = await client.call('lease_list', { all: true });
      const { tasks: all } = await client.call('list_tasks', {});
      // What was refused on its way out is kept with its reason, under a name that is one.
      const tasks = all.filter(({ side, outcome }) => side !== 'asked' || !/_NOT_ALLOWED$/.test(outcome?.code ?? ''));
      return { generation, parked, asked, here, leases, tasks, config: readFileSync(node.configFile, 'utf8') };
    }),
  );
  return JSON.stringify(nodes);
}

/** The command line in this process, at the home of a node; its code where it fails with one, else how it ended. */
async function writ(node: MeshNode, ...argv: string[]): Promise<string> {
  const nowhere = new PassThrough().resume();
  const base = {
    environment: readEnvironment(),
    clock: createSystemClock(),
    streams: { in: nowhere, out: nowhere, err: nowhere } as never,
    signal: new AbortController().signal,
    stopSignal: () => new AbortController().signal,
    terminal: noTerminal,
    json: true,
  };
  return runProgram(createProgram('0'), defineCommands, base, ['--home', node.home, '--json', ...argv]).then(
    (code) => `exit ${code}`,
    (error: { code: string }) => error.code,
  );
}

/** A configuration in which something is called so. */
const configs = (name: string): readonly string[] => {
  const key = JSON.stringify(name).replaceAll('\u007f', '\\u007f');
  return [
    `schema = 1\n[node]\nname = ${key}\n`,
    `schema = 1\n[node]\nname = "x"\n[workspaces.${key}]\npath = "/srv/x"\n`,
    `schema = 1\n[node]\nname = "x"\n[profiles.${key}]\ncapabilities = []\nrunner = "shell"\n`,
    `schema = 1\n[node]\nname = "x"\n[self]\nprofiles = [${key}]\n`,
  ];
};

describe.each(hostileNames())('$shown', ({ name, isName }) => {
  it('is refused wherever it comes in, and changes nothing', async () => {
    const client = alpha.client();
    const argv = ['true'];
    // Configuration: no name, or one that nothing else is called.
    for (const text of configs(name)) {
      const { valid, violations } = await client.call('policy_validate', { text });
      if (!isName) expect([text, valid]).toEqual([text, false]);
      for (const { code } of violations) expect(code).toMatch(/^(BAD_NAME|TOML_SYNTAX|UNKNOWN_PROFILE)$/);
    }
    // Agent: over MCP. A tool fails, or answers that it is not accepted.
    for (const wish of [
      { to: name, profile: 'query' },
      { to: 'beta', profile: name },
      { to: 'beta', profile: 'query', workspace: name },
    ]) {
      const { failed, text } = await agent.try('delegate', { ...wish, argv });
      expect([wish, failed || text.includes('accepted\\":false')]).toEqual([wish, true]);
    }
    if (!isName) {
      const asked = { name, capabilities: ['inspect_disk'], require_explicit: false, require_lease: false };
      const { failed, text } = await agent.try('profile_validate', asked);
      expect(failed || text.includes('BAD_NAME')).toBe(true);
    }
    // Person: on the command line.
    const ends = await Promise.all([
      writ(alpha, 'delegate', '--peer', 'beta', `--profile=${name}`, '--detach', '--', 'true'),
      writ(alpha, 'delegate', `--peer=${name}`, '--profile', 'query', '--detach', '--', 'true'),
      writ(alpha, 'delegate', '--peer', 'beta', '--profile', 'query', `--workspace=${name}`, '--detach', '--', 'true'),
      writ(beta, 'lease', 'grant', '--for', '1h', '--', 'alpha', name),
      writ(beta, 'lease', 'grant', '--for', '1h', '--', name, 'repo-dev'),
      writ(beta, 'peer', 'show', '--', name),
      writ(beta, 'policy', 'explain', '--from', 'alpha', `--profile=${name}`),
      ...(isName ? [] : [writ(beta, 'profile', 'validate', '--capabilities', 'inspect_disk', '--', name)]),
      ...(isName ? [] : [writ(beta, 'init', '--no-start', `--name=${name}`)]),
    ]);
    for (const end of ends) expect(end).not.toBe('exit 0');
    expect(await everything()).toBe(before);
  }, 60_000);
});
