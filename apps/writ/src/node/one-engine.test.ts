import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom, silentLogger } from '@writ/core';
import { createControlClient } from '@writ/gateway/client';
import { createIdentity } from '@writ/identity';
import { stockConfig } from '@writ/policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readEnvironment } from '../env.ts';
import { type Home, resolveHome } from '../home.ts';
import { composeNode, type RunningNode } from './compose.ts';

let home: Home;
let node: RunningNode;

beforeEach(async () => {
  home = resolveHome(readEnvironment(), mkdtempSync(join(tmpdir(), 'wn-')));
  await createIdentity({ dir: home.keysDir, clock: createSystemClock(), random: createSystemRandom() });
  const text = stockConfig({ nodeName: 'solo', listen: '127.0.0.1:0', workspaces: [], isolation: 'none' });
  writeFileSync(home.configFile, text, { mode: 0o600 });
  node = await composeNode({
    home,
    environment: readEnvironment(),
    logger: silentLogger,
    // The files of the grammar stand beside the built program only, and nothing is classified here.
    loadGrammar: async () => ({ parse: () => ({ ok: false, reason: 'no grammar' }) }),
    requestStop: () => undefined,
  });
});
afterEach(async () => {
  await node.close(0);
  rmSync(home.root, { recursive: true, force: true });
});

describe('a composed node', () => {
  it('gives its mesh server and its gateway one engine', async () => {
    const { mesh, gateway } = node.surfaces;
    expect(mesh.engine).toBe(gateway.engine);
    // What is loaded through the one is what the other decides under: the same snapshot, not an equal one.
    const before = mesh.engine.snapshot();
    const control = createControlClient({
      socketPath: home.socketFile,
      token: readFileSync(home.tokenFile, 'utf8').trim(),
    });
    writeFileSync(home.configFile, `${readFileSync(home.configFile, 'utf8')}\n# a remark\n`, { mode: 0o600 });
    const { generation } = await control.call('policy_reload', {});
    expect(generation).toBeGreaterThan(before.generation);
    expect(mesh.engine.snapshot()).not.toBe(before);
    expect(mesh.engine.snapshot()).toBe(gateway.engine.snapshot());
  });
});
