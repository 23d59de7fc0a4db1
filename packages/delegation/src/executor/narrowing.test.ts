import { createFakeClock } from '@writ/testkit/clock';
import { createScriptedRunner, createTestNode, type ScriptedRunner, type TestNode } from '@writ/testkit/delegation';
import { afterEach, beforeEach, expect, it } from 'vitest';

const POLICY = `schema = 1
[node]
name = "box"
[profiles.fetch]
capabilities = ["use_network"]
commands = [["make", "test"], ["true"]]
network = ["a.example:1", "b.example:2"]
env = ["LANG", "TZ"]
timeout = "10m"
max_output = "1MiB"
runner = "shell"
isolation = "none"
require_explicit = true
require_lease = true
[self]
profiles = ["fetch"]
`;

let runner: ScriptedRunner;
let node: TestNode;

beforeEach(async () => {
  const clock = createFakeClock(Date.UTC(2026, 0, 1));
  runner = createScriptedRunner({ clock });
  node = await createTestNode({ clock, runner, policy: POLICY, inMemory: true });
  node.authority.grantLease({ peer: 'self', profile: 'fetch', durationMs: 3_600_000, issuedBy: 'person' });
  await node.executor.submit({
    ...{ task: 't1', idempotencyKey: 't1', agent: 'tester', subject: { from: 'self', origin: 'self', session: 's1' } },
    spec: { input: { kind: 'argv', argv: ['make', 'test'] }, profile: 'fetch', timeoutMs: 300_000 },
  });
});

afterEach(() => node.close());

async function reloaded(from: string, to: string): Promise<string | undefined> {
  const run = await runner.runOf('t1');
  expect(POLICY).toContain(from);
  await node.engine.reload(POLICY.replace(from, to), { acceptWidening: true });
  if (run.stops.length === 0) run.exit(0);
  for await (const _ of node.executor.watch('t1', 0, new AbortController().signal)) void _;
  const { state, outcome } = node.executor.get('t1') ?? {};
  return outcome?.code ?? state;
}

it.each([
  ['its command', '["make", "test"], ', ''],
  ['a host that it may reach', ', "b.example:2"', ''],
  ['a variable that it has', '"LANG", ', ''],
  ['the time that it has', '"10m"', '"4m"'],
  ['the output that it may write', '"1MiB"', '"1KiB"'],
])('ends what runs when policy takes away %s', async (_name, from, to) => {
  expect(await reloaded(from, to)).toBe('PROFILE_NOT_ALLOWED');
});

it.each([
  ['another command', ', ["true"]', ''],
  ['time that it does not have', '"10m"', '"6m"'],
  ['nothing and gives more', '"a.example:1"', '"a.example:1", "c.example:3"'],
])('leaves alone what runs when policy takes away %s', async (_name, from, to) => {
  expect(await reloaded(from, to)).toBe('completed');
});
