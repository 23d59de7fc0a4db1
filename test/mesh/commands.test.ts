import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationInput, OperationOutput } from '@writ/gateway/client';
import {
  createTestMesh,
  type MeshNode,
  pairNodes,
  processesWith,
  startAgent,
  type TestMesh,
  until,
} from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnsweringNode, startAnsweringNode } from '../../apps/writ/src/testing/answering-node.ts';

/** A node whose agents, and alpha's, may change it: with a lease, and after a yes. */
const config = (name: string, listen: string, app: string): string => `schema = 1
[node]
name = "${name}"
listen = "${listen}"
default_profile = "query"

[workspaces.app]
path = "${app}"

[profiles.query]
capabilities = ["inspect_status", "inspect_disk"]
runner = "shell"
isolation = "none"

[profiles.ops]
capabilities = ["inspect_status", "edit_repo", "manage_services", "destructive"]
runner = "shell"
shell = "allow"
isolation = "none"
require_explicit = true
require_lease = true

[profiles.boxed]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "required"

[self]
profiles = ["query", "ops", "boxed"]
workspaces = ["app"]
`;

let mesh: TestMesh;
let alpha: MeshNode;
let beta: MeshNode;
let at: AnsweringNode;
let dir: string;

beforeAll(async () => {
  mesh = createTestMesh();
  dir = join(mesh.dir, 'place');
  mkdirSync(dir);
  [alpha, beta] = await Promise.all([
    mesh.add('alpha'),
    mesh.add('beta', { config: (listen) => config('beta', listen, dir), start: false }),
  ]);
  at = await startAnsweringNode(beta.home, mesh.environment);
  await pairNodes(beta, alpha, { profiles: ['query', 'ops'], workspaces: ['app'] });
  at.enroll();
  const from = await alpha.id();
  const { grantLease } = at.node.work.authority;
  for (const peer of [from, 'self']) grantLease({ peer, profile: 'ops', durationMs: 3_600_000, issuedBy: 'person' });
}, 120_000);
afterAll(async () => {
  await at.close();
  await mesh.close();
}, 60_000);

type Wish = Partial<OperationInput<'run'>> & { readonly argv: string[] };
type View = NonNullable<OperationOutput<'run'>['command']>;

/** Asks from alpha, of beta, as `ops`. */
async function ask(wish: Wish, node = alpha): Promise<View> {
  const answer = await node.client().call('run', { to: 'beta', profile: 'ops', workspace: 'app', ...wish });
  if (answer.command === undefined) throw new Error(`${answer.decided?.code}: ${answer.decided?.message}`);
  return answer.command;
}

/** Options of `writ run`, for what `ask` asks. */
const OPS = ['--peer', 'beta', '--profile', 'ops', '--workspace', 'app'];
const show = (id: string) => at.gate.executions.get(id);
const approvalOf = (view: View): string => view.approval ?? 'none';

/** What became of it, with its output, as alpha sees it. */
function finished({ execution }: View): Promise<OperationOutput<'execution'>> {
  return alpha.client().call('execution', { execution, at: 'beta', wait_seconds: 20 });
}

/** A script that writes a line into a file each time that it runs. */
function script(name: string, line: string): { readonly path: string; readonly ran: () => string } {
  const path = join(dir, name);
  const file = `${path}.ran`;
  writeFileSync(path, `#!/bin/sh\necho ${line} | tee -a ${file}\n`);
  chmodSync(path, 0o755);
  return { path, ran: () => (existsSync(file) ? readFileSync(file, 'utf8') : '') };
}

describe('a command at a peer', () => {
  it('runs at once where it only reads, and is seen with its output', async () => {
    const { code, stdout, stderr } = await alpha.writ(
      'run',
      '--peer',
      'beta',
      '--profile',
      'query',
      '--',
      'uname',
      '-s',
    );
    expect([code, stdout]).toEqual([0, 'Linux\n']);
    expect(stderr).toContain('completed: exit code 0');
    const failed = await alpha.writ('run', '-p', 'beta', '--profile', 'query', '--exit-status', '--', 'false');
    expect([failed.code, failed.stdout]).toEqual([1, '']);
  });

  it('waits for a person there, says so, and then runs exactly once', async () => {
    const { path, ran } = script('change.sh', 'changed');
    const waiting = await alpha.writ('run', ...OPS, '--no-wait', '--key', 'once', '--', path);
    expect(waiting.code).toBe(4);
    expect(waiting.stderr).toMatch(/pending_approval: waits for a person on beta since .*, approval [0-9a-f-]{36}/);
    const view = await ask({ argv: [path], idempotency_key: 'once' });
    expect(view).toMatchObject({ state: 'pending_approval', class: 'config-mutation' });
    const shown = await beta.writ('approval', 'show', approvalOf(view));
    expect(shown.stdout).toMatch(new RegExp(`RUNS AS A COPY: .*finds nothing that lies beside it: ${path}`));
    const running = alpha.start('run', ...OPS, '--key', 'once', '--', path);
    await until('it is followed', () => running.stderr().includes('pending_approval'));
    expect(ran()).toBe('');
    expect(at.answer(approvalOf(view), 'approve')).toBe('approved');
    const { code, stdout } = await running.ended;
    expect([code, stdout, ran()]).toEqual([0, 'changed\n', 'changed\n']);
    expect((await ask({ argv: [path], idempotency_key: 'once' })).execution).toBe(view.execution);
    expect([at.answer(approvalOf(view), 'approve'), ran()]).toEqual(['pending: NOT_PENDING', 'changed\n']);
    await expect(ask({ argv: ['true'], idempotency_key: 'once' })).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('is denied with a no, and by policy, with the exit code for that', async () => {
    const view = await ask({ argv: ['mkdir', join(dir, 'denied')] });
    const watching = alpha.start('execution', 'watch', view.execution, '--peer', 'beta');
    await until('it is watched', () => watching.stderr().includes('pending_approval'));
    at.answer(approvalOf(view), 'deny');
    expect((await watching.ended).code).toBe(3);
    expect(existsSync(join(dir, 'denied'))).toBe(false);
    const refused = await alpha.writ('run', '--peer', 'beta', '--profile', 'query', '--', 'mkdir', join(dir, 'x'));
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('lacks edit_repo')]);
    const { path } = script('unknown.sh', 'unknown');
    const unknown = await alpha.writ('run', '--peer', 'beta', '--profile', 'query', '--', path);
    expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining('lacks shell')]);
    const boxed = await beta.writ('run', '--profile', 'boxed', '--', 'uname');
    expect([boxed.code, boxed.stderr]).toEqual([3, expect.stringContaining('ISOLATION_UNAVAILABLE')]);
  });

  it('whose script is edited after the yes does not run, and is asked for anew as what it is now', async () => {
    const { path, ran } = script('edited.sh', 'first');
    const view = await ask({ argv: [path] });
    const executions = at.gate.executions;
    // The yes comes, and before anything is taken up the script is another one.
    script('edited.sh', 'second');
    at.answer(approvalOf(view), 'approve');
    const ended = await finished(view);
    expect(ended).toMatchObject({ state: 'failed', code: 'CHANGED_SINCE_APPROVAL', next: expect.any(String) });
    const next = executions.get(ended.next ?? '');
    expect([next?.state, ran()]).toEqual(['pending_approval', '']);
    expect(at.gate.approvals.get(next?.approval ?? '')?.preview).toContain(`in place of \`${view.execution}\``);
    at.answer(next?.approval ?? '', 'approve');
    const done = await alpha.client().call('execution', { execution: ended.next ?? '', at: 'beta', wait_seconds: 20 });
    expect([done.state, done.output, ran()]).toEqual(['completed', 'second\n', 'second\n']);
  });

  it('runs what was hashed when the file is changed while it runs', async () => {
    const { path } = script('long.sh', 'x');
    writeFileSync(path, `#!/bin/sh\necho up; while [ ! -e ${path}.go ]; do sleep 0.05; done; echo the first\n`);
    const view = await ask({ argv: [path] });
    at.answer(approvalOf(view), 'approve');
    await until('it runs', () => show(view.execution)?.state === 'running');
    writeFileSync(path, '#!/bin/sh\necho the second\n');
    writeFileSync(`${path}.go`, '');
    expect((await finished(view)).output).toBe('up\nthe first\n');
  });

  it('is cancelled while it waits, and while it runs with all that it started', async () => {
    const waiting = await ask({ argv: ['mkdir', join(dir, 'never')] });
    const cancelled = await alpha.writ('execution', 'cancel', waiting.execution, '--peer', 'beta');
    expect([cancelled.code, cancelled.stdout]).toEqual([0, `execution ${waiting.execution} is cancelled\n`]);
    expect(at.answer(approvalOf(waiting), 'approve')).toBe('pending: NOT_PENDING');
    const { path } = script('holds.sh', 'x');
    writeFileSync(path, '#!/bin/sh\nsetsid sleep 4242 &\necho up\nexec sleep 4242\n');
    const view = await ask({ argv: [path] });
    at.answer(approvalOf(view), 'approve');
    await until(
      'it is up',
      async () => (await alpha.client().call('execution', { execution: view.execution, at: 'beta' })).output === 'up\n',
    );
    expect(processesWith('sleep 4242')).toHaveLength(2);
    expect(await alpha.client().call('execution_cancel', { execution: view.execution, at: 'beta' })).toMatchObject({
      state: 'cancelled',
      code: 'CANCELLED',
    });
    expect(processesWith('sleep 4242')).toEqual([]);
  });

  it('with arguments that play tricks is shown whole, or refused', async () => {
    const tricky = ['echo', '\u001b[2J\u202etxt.sh', '\\u{1b}'];
    const view = await ask({ argv: ['mkdir', ...tricky.slice(1)], cwd: dir });
    const preview = at.gate.approvals.get(approvalOf(view))?.preview ?? '';
    expect(preview).toContain('argument 1: \\u{1b}[2J\\u{202e}txt.sh');
    expect(preview).toContain('argument 2: \\u{5c}u{1b}');
    for (const text of ['\u001b', '\u202e']) expect(view.work).not.toContain(text);
    const shown = await alpha.writ('execution', 'show', view.execution, '--peer', 'beta');
    for (const text of ['\u001b', '\u202e']) expect(shown.stdout).not.toContain(text);
    const long = 'x'.repeat(65_536);
    const whole = await ask({ argv: ['mkdir', '-p', `${dir}/${long}`, 'end'] });
    expect(at.gate.approvals.get(approvalOf(whole))?.preview).toContain(`${long}\nargument 3: end`);
    await expect(ask({ argv: ['mkdir', ...Array.from({ length: 5 }, () => long)] })).rejects.toThrow(
      'cannot be shown whole',
    );
    for (const { execution } of [view, whole]) at.gate.executions.cancel(execution);
  });

  it('is reached by nobody else: not by another peer’s id, a task, or a session that is claimed', async () => {
    const mine = await beta.client().call('run', { to: 'self', argv: ['uname'], profile: 'query' });
    const id = mine.command?.execution ?? '';
    for (const operation of ['execution', 'execution_show', 'execution_cancel'] as const) {
      await expect(alpha.client().call(operation, { execution: id, at: 'beta' })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    }
    const lying = { to: 'beta', argv: ['uname'], profile: 'query', _session_id: 'a' };
    // Where older callers put a session: dropped, before anything looks at it. Any other word for it is refused.
    const { command } = await alpha.client().call('run', lying);
    expect(show(command?.execution ?? '')?.session).not.toBe('a');
    const agent = await startAgent(alpha, undefined, ['--toolsets', 'commands']);
    try {
      const { failed, text } = await agent.try('run', { ...lying, session: 'b' });
      expect([failed, text]).toEqual([true, expect.stringContaining('BAD_REQUEST')]);
    } finally {
      await agent.close();
    }
    // What is stored is the session that alpha's writ names, of alpha.
    const view = await ask({ argv: ['mkdir', join(dir, 'foreign')] });
    const stored = show(view.execution);
    expect(stored).toMatchObject({ origin: await alpha.id(), requestedBy: await alpha.id(), agent: 'cli' });
    expect(JSON.stringify(stored)).not.toContain('_session_id');
    at.gate.executions.cancel(view.execution);
  });
});

describe('what was asked of a peer', () => {
  const sent = async (id: string) =>
    (await alpha.client().call('list_executions', { limit: 200 })).sent.find(({ execution }) => execution === id);

  it('is listed where it was asked, as it was last known', async () => {
    const view = await ask({ argv: ['mkdir', join(dir, 'listed')] });
    expect(await sent(view.execution)).toMatchObject({
      ...{ at: 'beta', state: 'pending_approval', class: 'config-mutation', profile: 'ops' },
      seen_at_ms: expect.any(Number),
    });
    at.answer(approvalOf(view), 'deny');
    expect((await sent(view.execution))?.state).toBe('pending_approval');
    await finished(view);
    expect(await sent(view.execution)).toMatchObject({ state: 'denied', code: expect.any(String) });
    const listed = await alpha.writ('execution', 'list');
    expect(listed.stdout).toMatch(
      new RegExp(`asked of peers, as last known:\\n(.*\\n)*${view.execution} .*beta.*denied`),
    );
    const refused = await alpha.writ(
      'run',
      '--peer',
      'beta',
      '--profile',
      'query',
      '--',
      'mkdir',
      join(dir, 'refused'),
    );
    expect(refused.code).toBe(3);
    const { sent: all } = await alpha.client().call('list_executions', {});
    expect(all.find(({ state }) => state === 'refused')?.work).toContain('refused');
  });

  it('ends with its session where it waits, also where nothing else was asked there, and goes on where it runs', async () => {
    const { session, credential } = await alpha.client().call('session_start', { agent: 'tester' });
    const wish = { to: 'beta', profile: 'ops', workspace: 'app' } as const;
    const asked = async (argv: string[]): Promise<View> => {
      const { command, decided } = await alpha.clientIn(credential).call('run', { ...wish, argv });
      if (command === undefined) throw new Error(decided?.message);
      return command;
    };
    const running = await asked(['sleep', '4646']);
    if (running.state === 'pending_approval') at.answer(approvalOf(running), 'approve');
    await until('it runs', () => show(running.execution)?.state === 'running');
    const waiting = await asked(['mkdir', join(dir, 'with-its-session')]);
    expect(waiting.state).toBe('pending_approval');
    expect(await alpha.client().call('session_end', { session })).toMatchObject({ ended: true, peers: 1 });
    expect(await finished(waiting)).toMatchObject({ state: 'cancelled' });
    expect(at.answer(approvalOf(waiting), 'approve')).toBe('session: NOT_FOUND');
    expect(show(running.execution)?.state).toBe('running');
    await alpha.client().call('execution_cancel', { execution: running.execution, at: 'beta' });
    expect(existsSync(join(dir, 'with-its-session'))).toBe(false);
    expect((await sent(waiting.execution))?.state).toBe('cancelled');
  });
});

describe('sessions of one agent', () => {
  it('do not share a window; a destructive step asks again, for its target only', async () => {
    const [a, b] = [
      await startAgent(beta, undefined, ['--toolsets', 'commands']),
      await startAgent(beta, undefined, ['--toolsets', 'all']),
    ];
    try {
      const [one, two] = [join(dir, 'plan-one'), join(dir, 'plan-two')];
      const steps = [{ argv: ['mkdir', one] }, { argv: ['mkdir', two] }];
      const plan = await a.call('propose_plan', {
        to: 'self',
        profile: 'ops',
        workspace: 'app',
        title: 'two folders',
        steps,
        only_steps: false,
      });
      expect(plan).toMatchObject({
        accepted: true,
        steps: [{ class: 'config-mutation' }, { class: 'config-mutation' }],
      });
      expect(at.answer(String(plan.approval), 'approve', 'session')).toBe('approved');
      const run = async (agent: typeof a, argv: string[]): Promise<View> => {
        const answer = await agent.call('run', { to: 'self', profile: 'ops', workspace: 'app', argv });
        return answer.command as View;
      };
      const ended = async (agent: typeof a, { execution }: View) =>
        agent.call('execution', { execution, wait_seconds: 20 });
      const mine = await run(a, ['mkdir', one]);
      expect(await ended(a, mine)).toMatchObject({ state: 'completed', window: expect.any(String) });
      expect(existsSync(one)).toBe(true);
      const theirs = await run(b, ['mkdir', two]);
      expect([theirs.state, existsSync(two)]).toEqual(['pending_approval', false]);
      // Destructive: the assent window is none for it. A yes for its target is one for that alone.
      const remove = await run(a, ['rm', '-r', one]);
      expect(remove).toMatchObject({ state: 'pending_approval', class: 'destructive' });
      at.answer(approvalOf(remove), 'approve', 'target');
      expect(await ended(a, remove)).toMatchObject({ state: 'completed' });
      mkdirSync(one);
      mkdirSync(two);
      expect(await ended(a, await run(a, ['rm', '-r', one]))).toMatchObject({ state: 'completed' });
      expect((await run(a, ['rm', '-r', two])).state).toBe('pending_approval');
      expect([existsSync(one), existsSync(two)]).toEqual([false, true]);
    } finally {
      await Promise.all([a.close(), b.close()]);
    }
  });
});
