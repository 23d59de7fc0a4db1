import { type ControlClient, createControlClient } from '@writ/gateway/client';
import {
  createTestMesh,
  doorOf,
  HOLD,
  type MeshNode,
  processesWith,
  submit,
  type TestMesh,
  until,
  withDescendants,
} from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const config = (listen: string): string => `schema = 1
[node]
name = "solo"
listen = "${listen}"
default_profile = "query"

[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"

[profiles.relay]
capabilities = ["inspect_status", "subdelegate"]
shell = "allow"
runner = "shell"
isolation = "none"
require_explicit = true
require_lease = true

[self]
profiles = ["query", "relay"]
`;

let mesh: TestMesh;
let solo: MeshNode;

beforeAll(async () => {
  mesh = createTestMesh();
  solo = await mesh.add('solo', { config });
}, 120_000);
afterAll(() => mesh.close(), 60_000);

/** Starts a command that only waits, and waits until it does. */
async function sleep(seconds: string, client: ControlClient = solo.client()): Promise<string> {
  const { command, decided } = await client.call('run', { to: 'self', argv: ['sleep', seconds] });
  if (command === undefined) throw new Error(decided?.message);
  await until(`sleep ${seconds} runs`, () => processesWith(`sleep ${seconds}`).length === 1);
  return command.execution;
}

describe('a command whose node is killed', () => {
  it('has an unknown outcome, is not run again, and leaves no process', async () => {
    const id = await sleep('4343');
    await solo.kill();
    await until('its processes are gone', () => processesWith('sleep 4343').length === 0);
    await solo.up();
    expect(await solo.client().call('execution_show', { execution: id })).toMatchObject({
      ...{ state: 'outcome_unknown', finished: true, code: 'LOST' },
    });
    expect((await solo.writ('execution', 'watch', id)).code).toBe(1);
    // Another one is taken up after it: nothing that was before is still to come.
    expect((await solo.writ('run', '--', 'uname')).code).toBe(0);
    expect(processesWith('sleep 4343')).toEqual([]);
  }, 60_000);

  it('is ended at the next start where its spawner was killed too', async () => {
    const id = await sleep('4444');
    const all = withDescendants([solo.pid() ?? -1]);
    const [left] = processesWith('sleep 4444');
    for (const { pid } of all) if (pid !== left?.pid) process.kill(pid, 'SIGKILL');
    await solo.up();
    expect(processesWith('sleep 4444')).toEqual([]);
    expect((await solo.client().call('execution_show', { execution: id })).state).toBe('outcome_unknown');
  }, 60_000);
});

describe('a command whose spawner is stopped', () => {
  it('keeps no node from going down in time, leaves no process, and what became of it nobody knows', async () => {
    const id = await sleep('4646');
    const [command] = processesWith('sleep 4646');
    process.kill(command?.parent ?? 0, 'SIGSTOP');
    const before = performance.now();
    await solo.down();
    // Six questions, a second each, where it would be asked for half a minute otherwise.
    expect(performance.now() - before).toBeLessThan(15_000);
    expect(processesWith('sleep 4646')).toEqual([]);
    await solo.up();
    expect(await solo.client().call('execution_show', { execution: id })).toMatchObject({
      state: 'outcome_unknown',
      finished: true,
    });
  }, 60_000);
});

describe('a command of a task', () => {
  it('is asked for with the task’s token alone, in its grant, and ends with it', async () => {
    await solo.client().call('lease_grant', { peer: 'self', profile: 'relay', duration: '1h' });
    const hosts = await solo.client().call('run', { to: 'self', argv: ['uname'] });
    const task = await submit(solo, { to: 'self', profile: 'relay', argv: [...HOLD] });
    const client = createControlClient(await doorOf(solo, task));
    const { command } = await client.call('run', { to: 'self', argv: ['uname', '-s'] });
    const mine = command?.execution ?? '';
    const ended = await client.call('execution', { execution: mine, wait_seconds: 20 });
    expect(ended).toMatchObject({ state: 'completed', output: 'Linux\n', profile: 'relay', task });
    expect((await client.call('list_executions', {})).executions.map(({ execution }) => execution)).toEqual([mine]);
    const other = hosts.command?.execution ?? '';
    for (const operation of ['execution', 'execution_show', 'execution_cancel'] as const) {
      await expect(client.call(operation, { execution: other })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    const change = await client.call('run', { to: 'self', argv: ['systemctl', 'restart', 'nginx'] });
    expect(change.decided?.code).toBe('PROFILE_NOT_ALLOWED');
    await expect(client.call('run', { to: 'other', argv: ['uname'] })).rejects.toMatchObject({
      code: 'COMMAND_NOT_ALLOWED',
    });
    const running = await sleep('4545', client);
    await solo.client().call('cancel', { task });
    const last = await solo.client().call('execution', { execution: running, wait_seconds: 20 });
    expect(last).toMatchObject({ state: 'cancelled', why: 'the task that asked for it has ended' });
    expect(processesWith('sleep 4545')).toEqual([]);
  }, 60_000);
});
