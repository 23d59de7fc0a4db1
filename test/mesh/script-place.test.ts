import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestMesh, type MeshNode, type TestMesh } from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mountOf, readMounts } from '../../apps/writ/src/cli/doctor/copies.ts';

/** Where the system keeps what runs; only the superuser makes a folder there, which is fit for its node. */
const RUNTIME = '/run';

/** A node whose agents may run this script, and nothing is asked. */
const config = (listen: string, script: string): string => `schema = 1
[node]
name = "solo"
listen = "${listen}"
default_profile = "query"

[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"

[[commands]]
match = ["${script}"]
class = "read"
needs = ["inspect_status"]

[self]
profiles = ["query"]
`;

/** Whether a folder in there serves: programs can be run, as the table of mounts says, and nobody but the superuser writes above it. */
function isFit(): boolean {
  const mount = mountOf(RUNTIME, readMounts(readFileSync('/proc/self/mountinfo', 'utf8')));
  const above = ['/', RUNTIME].map((dir) => statSync(dir));
  return mount?.isNoexec !== true && above.every(({ uid, mode }) => uid === 0 && (mode & 0o022) === 0);
}

describe.skipIf(process.getuid?.() !== 0)('a copy of a script, of a node that runs as root', () => {
  let mesh: TestMesh;
  let runtime: string;
  let script: string;
  beforeAll(() => {
    mesh = createTestMesh();
    runtime = mkdtempSync(join(RUNTIME, 'writ-test-'));
    script = join(mesh.dir, 'where.sh');
    writeFileSync(script, `#!/bin/sh\necho "$0"\nls ${runtime}\n`, { mode: 0o755 });
  });
  afterAll(async () => {
    try {
      await mesh.close();
    } finally {
      rmSync(runtime, { recursive: true });
    }
  }, 60_000);

  /** Where the script itself says that it lies, and what lies in the runtime folder meanwhile. */
  async function run(node: MeshNode): Promise<{ readonly place: string; readonly inRuntime: string }> {
    const { code, stdout, stderr } = await node.writ('run', '--', script);
    expect([code, stderr]).toEqual([0, expect.stringContaining('completed')]);
    const [place = '', ...names] = stdout.trim().split('\n');
    return { place, inRuntime: names.join(' ') };
  }

  it('lies in the folder of the system for what runs, where programs run there and nobody else writes to it', async () => {
    const solo = await mesh.add('solo', {
      config: (listen) => config(listen, script),
      environment: { XDG_RUNTIME_DIR: runtime },
    });
    const first = await run(solo);
    if (isFit()) {
      expect(first.place).toMatch(new RegExp(`^${runtime}/writ-held-[0-9a-f]{24}/.*where\\.sh$`));
      expect(first.inRuntime).toMatch(/^writ-held-[0-9a-f]{24}$/);
    } else {
      expect(first.place).toMatch(new RegExp(`^${mesh.environment.HOME}/\\.cache/writ-held-`));
      expect(first.inRuntime).toBe('');
    }
    // It is looked at for each copy: a folder that others may write to serves nobody.
    chmodSync(runtime, 0o770);
    const second = await run(solo);
    expect(second.place).toMatch(new RegExp(`^${mesh.environment.HOME}/\\.cache/writ-held-`));
    await solo.down();
    expect(readdirSync(runtime)).toEqual([]);
  }, 60_000);

  it('lies in the home of the user where the folder that is named is none of the system', async () => {
    const other = await mesh.add('other', { config: (listen) => config(listen, script) });
    expect((await run(other)).place).toMatch(new RegExp(`^${mesh.environment.HOME}/\\.cache/writ-held-`));
  }, 60_000);
});
