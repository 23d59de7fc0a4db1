import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ComposedNode, startComposedNode } from '../testing/composed-node.ts';

let node: ComposedNode;

beforeEach(async () => {
  node = await startComposedNode();
});
afterEach(() => node.remove());

describe('a composed node', () => {
  it('gives its mesh server and its gateway one engine', async () => {
    const { mesh, gateway } = node.running.surfaces;
    expect(mesh.engine).toBe(gateway.engine);
    // What is loaded through the one is what the other decides under: the same snapshot, not an equal one.
    const before = mesh.engine.snapshot();
    const { configFile } = node.home;
    writeFileSync(configFile, `${readFileSync(configFile, 'utf8')}\n# a remark\n`, { mode: 0o600 });
    const { generation } = await node.control.call('policy_reload', {});
    expect(generation).toBeGreaterThan(before.generation);
    expect(mesh.engine.snapshot()).not.toBe(before);
    expect(mesh.engine.snapshot()).toBe(gateway.engine.snapshot());
  });
});
