import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { Tools } from './installed-tools.ts';
import { openRelay } from './relay.ts';
import type { World } from './world.ts';

const EXPECTED_FAILURES = join(process.cwd(), 'test/conformance/expected-failures.yml');

/** What a node has, by the names that the suite knows from the server that its makers wrote. */
function standIns({ task }: World): Readonly<Record<string, string>> {
  return {
    test_simple_text: 'whoami',
    // Fails: it is called without the task that it is about.
    test_error_handling: 'status',
    'test://static-text': `writ://task/${task}/transcript`,
    'test://static-binary': `writ://task/${task}/artifact/raw.bin`,
    'test://watched-resource': `writ://task/${task}`,
    ...{ test_prompt_with_arguments: 'why-denied', arg1: 'peer', arg2: 'profile' },
  };
}

/**
 * Every scenario for servers of the public conformance suite, which compares with the list of expected failures itself: one
 * that fails and is not in the list, and one that is in it and passes, both make this false.
 */
export async function runSuite(tools: Tools, world: World, tell: (line: string) => void): Promise<boolean> {
  const relay = await openRelay(world.port, { authorization: `Bearer ${world.hostToken}` }, standIns(world));
  try {
    const options = ['--suite', 'all', '--expected-failures', EXPECTED_FAILURES];
    const args = [tools.conformance, 'server', '--url', relay.url, ...options, '-o', join(world.mesh.dir, 'suite')];
    const { code, output } = await run(tools.node, args);
    const summary = output.slice(Math.max(0, output.indexOf('=== SUMMARY ===')));
    tell(summary.trim());
    return code === 0 && /Total: [1-9]/.test(summary);
  } finally {
    await relay.close();
  }
}

function run(command: string, args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    execFile(command, [...args], { maxBuffer: 64 * 1024 ** 2 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : 1, output: `${stdout}${stderr}` });
    });
  });
}
