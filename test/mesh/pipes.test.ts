import { execFile } from 'node:child_process';
import { createTestMesh, type MeshNode, WRIT_PROGRAM } from '@writ/testkit/mesh';
import { afterAll, beforeAll, expect, it } from 'vitest';

const mesh = createTestMesh();
let node: MeshNode;
beforeAll(async () => {
  node = await mesh.add('piped');
}, 120_000);
afterAll(() => mesh.close(), 60_000);

/** Runs a line of shell in which `writ` is this node's; all that it wrote to its own two streams. */
function shell(line: string): Promise<{ readonly code: number | null; readonly said: string }> {
  const writ = `writ() { '${process.execPath}' '${WRIT_PROGRAM}' --home '${node.home}' "$@"; }`;
  return new Promise((resolve) => {
    const child = execFile('bash', ['-c', `${writ}; ${line}`], { env: mesh.environment }, (_, out, err) =>
      resolve({ code: child.exitCode, said: `${out}${err}` }),
    );
  });
}

it('a watch ends when nobody reads it any more', async () => {
  const { code, said } = await shell('writ status --watch | head -1; echo "$PIPESTATUS"');
  expect(said).toMatch(/^piped {2}wn-\S+\n0\n$/);
  expect(code).toBe(0);
}, 60_000);

it.each([
  'writ status --watch | true',
  'writ status >&-',
  'writ status 2>&-',
  // Both readers have gone before it begins.
  '{ trap "" PIPE; while printf . || printf . >&2; do :; done; writ status; } 2> >(true) | true',
  'writ status > /dev/full',
])(
  'closed streams show no trace of this program: %s',
  async (line) => {
    const { said } = await shell(line);
    expect(said).not.toMatch(/^\s+at |node:internal|Unhandled/m);
  },
  60_000,
);

it('a watch at a terminal ends with Ctrl-C, and takes the mark of it away', async () => {
  const watching = node.atTerminal('status', '--watch');
  await watching.says(/sandbox: /);
  watching.type('\u0003');
  const [, behind] = (await watching.ended).stdout.split('^C');
  expect(behind).toContain('\r\u001b[K');
}, 60_000);
