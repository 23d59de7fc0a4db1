import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type WritCode, WritError } from '@writ/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FakeNode, runWrit, startFakeNode } from './testing/fake-node.ts';

let node: FakeNode;
let empty: string;
beforeEach(async () => {
  node = await startFakeNode();
  chmodSync(node.home.root, 0o700);
  empty = mkdtempSync(join(tmpdir(), 'writ-none-'));
});
afterEach(async () => {
  await node.stop();
  rmSync(empty, { recursive: true });
});

/** Calls that are wrong, each on a home whose node answers nothing. */
const WRONG: readonly string[] = [
  'delgate -p beta -- true',
  'task shw x',
  'task show',
  'task show a b',
  'task list --state runing',
  'task list --side both',
  'task list --limit none',
  'task list --limit 0',
  'task list --limit 1000',
  'task list --peer',
  'delegate -- true',
  'delegate -p beta',
  'delegate -p beta --prompt x -- true',
  'delegate -p beta --timeout soon -- true',
  'delegate -p beta --unknown -- true',
  'run',
  'lease grant laptop',
  'lease grant laptop repo-dev',
  'lease grant laptop repo-dev --for never',
  'lease grant laptop repo-dev --for 8h --uses many',
  'lease grant laptop repo-dev --for 100000h',
  'lease renew',
  'approval approve',
  'approval approve a-1 --scope always',
  'task result t --patch --out dir',
  'task artifact t --out file',
  'task reply t',
  'task reply t --credential hush',
  'task reply t --file /nowhere/file',
  'task ask x --kind nothing',
  'apply t --check --checkout',
  'verify ./nothing.json',
  'events --after yesterday',
  'audit show first',
  'audit tail --lines 0',
  'audit verify /nowhere/bundle',
  'audit export --since /nowhere/checkpoint',
  'policy validate /nowhere/writ.toml',
  'policy diff /nowhere/writ.toml',
  'policy validate /',
  'policy test --cases /nowhere/cases.json',
  'policy classify',
  'profile validate',
  'profile validate x --rank 9',
  'profile validate x --network some',
  'config show /nowhere/writ.toml',
  'init --workspace app',
  'init --workspace app=/nowhere',
  'mesh up --nodes 1',
  'mesh up --nodes few',
  'mesh down --purge',
  'peer remove beta',
  'task forget t',
  'lease accept-clock',
  'completion',
  'completion tcsh',
  'approver enroll',
  'peer join',
];

/** What a node may answer, and the call that hears it. */
const ANSWERED: readonly (readonly [call: string, operation: string, error: WritError])[] = [
  ['status', 'node_status', error('TOKEN_INVALID', 'the token is not valid', ['writ status'])],
  ['task show t-1', 'task_show', error('NOT_FOUND', 'there is no task `t-1`', ['writ task list'])],
  ['peer show x', 'peer_show', error('NOT_FOUND', 'there is no peer `x`\u001b[2J', ['writ peer list'])],
];

function error(code: WritCode, message: string, nextSteps: readonly string[]): WritError {
  return new WritError(code, message, { nextSteps });
}

it('every wrong call says what is wrong, where, and what to type', async () => {
  const told: string[] = [];
  const tell = async (call: string, at: string): Promise<void> => {
    const { code, out, err } = await runWrit(at, call.split(' '));
    const text = `${out}${err}`.replaceAll(node.home.root, 'HOME').replaceAll(empty, 'EMPTY');
    told.push(`$ writ ${call}`, ...text.trimEnd().split('\n'), `[${code}]`, '');
    expect(code, call).toBeGreaterThan(0);
  };
  for (const call of WRONG) await tell(call, node.home.root);
  for (const [call, operation, failure] of ANSWERED) {
    node.answers[operation] = () => {
      throw failure;
    };
    await tell(call, node.home.root);
  }
  told.push('# a home without a node', '');
  for (const call of ['status', 'up', 'audit tail', 'audit verify', 'config show', 'policy validate']) {
    await tell(call, empty);
  }
  told.push('# a node that does not run', '');
  mkdirSync(join(empty, 'run'), { mode: 0o700 });
  writeFileSync(join(empty, 'writ.toml'), 'schema = 1\n[node]\nnme = "x"\n', { mode: 0o600 });
  for (const call of ['status', 'delegate -p beta -- true', 'policy validate', 'policy diff', 'init']) {
    await tell(call, empty);
  }
  told.push('# a home that is a file', '');
  const file = join(empty, 'writ.toml');
  for (const call of ['init --yes', 'status']) await tell(call, file);
  await expect(`${told.join('\n')}\n`).toMatchFileSnapshot('errors.snapshot.txt');
});
