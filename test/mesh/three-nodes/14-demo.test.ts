import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createTestMesh, type MeshNode, processesOf, type TestMesh, until } from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let mesh: TestMesh;
let node: MeshNode;
beforeAll(async () => {
  mesh = createTestMesh();
  node = await mesh.add('alpha', { start: false });
}, 60_000);
// Closing fails where a process or a file is left.
afterAll(() => mesh.close(), 60_000);

describe('the demo', () => {
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
    it(`that is ended by ${signal} stops its nodes and removes its folder`, async () => {
      const running = node.start('mesh', 'demo');
      await until('its first node runs', () => /alpha +pid \d+/.test(running.stderr()), 60_000);
      running.kill(signal);
      expect(await running.ended).toMatchObject({ stderr: expect.stringContaining('the demo was stopped') });
      expect(processesOf(join(mesh.dir, 'tmp'))).toEqual([]);
      expect(readdirSync(join(mesh.dir, 'tmp'))).toEqual([]);
    });
  }

  it('starts nothing for a folder that is no repository', async () => {
    const told = await node.writ('mesh', 'demo', '--repo', mesh.dir, '--json');
    expect(told).toMatchObject({ code: 2, json: { error: { code: 'BAD_REQUEST' } } });
  });
});
