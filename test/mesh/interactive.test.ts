import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createControlClient } from '@writ/gateway/client';
import {
  createTestMesh,
  doorOf,
  enrollPerson,
  executingConfig,
  HOLD,
  type LinkProxy,
  type MeshNode,
  openLinkProxy,
  pairNodes,
  submit,
  type TestMesh,
  until,
  untilFinished,
  untilOutput,
  WRIT_PROGRAM,
} from '@writ/testkit/mesh';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { describeWith } from '../support/require.ts';

const PROFILES = `
[profiles.talk]
capabilities = ["interactive"]
shell = "allow"
runner = "shell"
require_explicit = true
require_lease = true
timeout = "10m"
isolation = "none"

[profiles.relay]
capabilities = ["subdelegate", "interactive"]
shell = "allow"
runner = "shell"
require_explicit = true
require_lease = true
timeout = "10m"
isolation = "none"

[profiles.mute]
capabilities = ["subdelegate"]
shell = "allow"
runner = "shell"
require_explicit = true
require_lease = true
isolation = "none"
`;
const SECRET = 'correct-horse-battery-staple-4711';

let mesh: TestMesh;
let alpha: MeshNode;
let beta: MeshNode;
let gamma: MeshNode;
let link: LinkProxy;

beforeAll(async () => {
  mesh = createTestMesh();
  const config =
    (name: string) =>
    (listen: string): string =>
      executingConfig({ name, listen, workspaces: {}, more: PROFILES });
  [alpha, beta, gamma] = await Promise.all([
    mesh.add('alpha'),
    mesh.add('beta', { config: config('beta') }),
    mesh.add('gamma', { config: config('gamma') }),
  ]);
  await pairNodes(beta, alpha, { profiles: ['query', 'talk', 'relay', 'mute'], workspaces: [] });
  await pairNodes(gamma, beta, { profiles: ['talk'], workspaces: [] });
  await pairNodes(alpha, gamma, { profiles: ['query'], workspaces: [] });
  await beta.configure(beta.config().replace('[peers.alpha]', '[peers.alpha]\nmax_depth = 2'));
  await gamma.configure(
    gamma.config().replace('[peers.beta]', '[peers.beta]\nmax_depth = 1\naccept_origins = ["alpha"]'),
  );
  await gamma.client().call('lease_grant', { peer: 'beta', profile: 'talk', duration: '8h', origin: 'alpha' });
  link = await openLinkProxy(beta.listen);
  await alpha.configure(alpha.config().replace(`"${beta.listen}"`, `"${link.address}"`));
  for (const profile of ['talk', 'relay', 'mute']) {
    await beta.client().call('lease_grant', { peer: 'alpha', profile, duration: '8h' });
  }
}, 120_000);
afterEach(() => link.mend());
afterAll(async () => {
  await link.close();
  await mesh.close();
}, 60_000);

/** A shell that asks with `ask`, and says what came of it. */
const script = (lines: string): string[] => [
  'sh',
  '-c',
  `ask() { '${process.execPath}' '${WRIT_PROGRAM}' task ask "$@"; }\n${lines}`,
];
const start = (lines: string, profile = 'talk'): Promise<string> => submit(alpha, { profile, argv: script(lines) });
const stateAt = (node: MeshNode, task: string, state: string) =>
  until(`${task} is ${state} at ${node.name}`, async () => {
    const view = await node.client().call('status', { task });
    return view.state === state ? view : undefined;
  });
const output = async (task: string): Promise<string> => (await alpha.client().call('transcript', { task })).text;

/** Every file below a folder that holds `text`, sockets left out. */
function filesWith(dir: string, text: string): readonly string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes(text));
}

describe('a task that asks', () => {
  it('asks two questions in one turn, is answered both, goes on and completes', async () => {
    const task = await start('ask "which branch?" "where to?" | { read a; read b; echo "on $a to $b"; }');
    const view = await stateAt(alpha, task, 'input_required');
    expect(view.turn).toMatchObject({
      turn: 1,
      questions: [
        { id: '1.1', kind: 'input', text: 'which branch?', answered_by: 'a reply' },
        { id: '1.2', text: 'where to?' },
      ],
    });
    expect(await alpha.client().call('wait', { task })).toMatchObject({ state: 'input_required', timed_out: false });
    const second = await alpha.writ('task', 'reply', task, '--question', '1.2', 'staging');
    expect(second).toMatchObject({ code: 0, stdout: '1.2 is answered; 1 open still\n' });
    const key = { task, text: 'main', idempotency_key: 'k1', question: '1.1' };
    expect(await alpha.client().call('reply', key)).toMatchObject({ state: 'running', open: 0 });
    expect(await untilFinished(alpha, task)).toMatchObject({ state: 'completed' });
    expect(await output(task)).toBe('on main to staging\n');
    const late = await alpha.writ('task', 'reply', task, '--question', '1.1', 'next');
    expect([late.code, late.stderr]).toEqual([2, expect.stringContaining('NOT_FOUND')]);
  });

  it('is shown while it is followed, with the command that answers', async () => {
    const watching = alpha.start(
      'delegate',
      '--peer',
      'beta',
      '--profile',
      'talk',
      '--',
      ...script('ask "which branch?"'),
    );
    const [, task = ''] = await until(
      'the question is shown',
      () =>
        /input wanted \(1\.1\):\n {2}\| which branch\?[\s\S]*writ --home \S+ task reply (\S+) --question 1\.1/.exec(
          watching.stderr(),
        ) ?? undefined,
    );
    await alpha.writ('task', 'reply', task, 'main');
    expect(await watching.ended).toMatchObject({ code: 0, stdout: 'main\n' });
  });

  it('is answered once: another reply hears who was faster, the same one is one', async () => {
    const task = await start('ask "which branch?"; ask "and then?"');
    await stateAt(alpha, task, 'input_required');
    const reply = (text: string, idempotency_key: string) =>
      alpha.client().call('reply', { task, question: '1.1', text, idempotency_key });
    const answers = await Promise.allSettled([reply('main', 'k1'), reply('next', 'k2')]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const lost = answers.find((answer) => answer.status === 'rejected');
    expect(lost?.reason).toMatchObject({ code: 'NOT_PENDING', message: expect.stringContaining(await alpha.id()) });
    const winner = answers[0]?.status === 'fulfilled' ? (['main', 'k1'] as const) : (['next', 'k2'] as const);
    expect(await reply(winner[0], winner[1])).toMatchObject({ question: '1.1' });
    await until('the next turn', async () => (await alpha.client().call('status', { task })).turn?.turn === 2);
    await alpha.client().call('reply', { task, text: 'stop' });
    await untilFinished(alpha, task);
    expect(await output(task)).toBe(`${winner[0]}\nstop\n`);
  });

  it('without `interactive` is told what to do', async () => {
    const task = await start('ask "which branch?" 2>&1; echo "exit $?"', 'mute');
    await untilFinished(alpha, task);
    const text = await output(task);
    expect(text).toContain('GRANT_EXCEEDED');
    expect(text).toContain('under a profile that holds `interactive`');
    expect(text).toContain('exit 3');
  });

  it('hears at once that no approver is enrolled at its node', async () => {
    const task = await start('ask --kind approval "may I push?"; echo "exit $?"');
    await untilFinished(alpha, task);
    expect(await output(task)).toMatch(/^denied: .*no approver is enrolled.*\nexit 3\n$/);
  });
});

describe('a credential', () => {
  it('reaches the process that asked and is found in no file of either node', async () => {
    const file = join(mesh.dir, 'token');
    writeFileSync(file, `${SECRET}\n`, { mode: 0o644 });
    // What it prints is its own affair: it prints a digest.
    const task = await start('ask --kind credential "token of the registry" | tr -d "\\n" | sha256sum');
    await stateAt(alpha, task, 'credential_required');
    const reply = (...more: string[]) => alpha.writ('task', 'reply', task, '--credential', ...more);
    expect((await reply('--file', file)).stderr).toContain('HOME_INSECURE');
    expect((await reply('typed')).stderr).toContain('never an argument');
    writeFileSync(join(mesh.dir, 'private'), `${SECRET}\n`, { mode: 0o600 });
    expect(await reply('--file', join(mesh.dir, 'private'))).toMatchObject({ code: 0 });
    expect(await untilFinished(alpha, task)).toMatchObject({ state: 'completed' });
    expect(await output(task)).toMatch(/^[0-9a-f]{64} /);
    for (const node of [alpha, beta]) {
      expect(filesWith(node.home, 'token of the registry').length, node.name).toBeGreaterThan(0);
      expect(filesWith(node.home, SECRET), node.name).toEqual([]);
    }
  });
});

describeWith(['python3'], 'a credential that is typed', () => {
  const TYPED = 'typed-horse-battery-staple-4712';
  const ask = 'ask --kind credential "token of the registry" | tr -d "\\n" | sha256sum';

  it('is read from the terminal without an echo, once, and is found in no file of either node', async () => {
    const task = await start(ask);
    await stateAt(alpha, task, 'credential_required');
    // What comes through a pipe is typed by nobody.
    expect((await alpha.writ('task', 'reply', task, '--credential')).stderr).toContain('this process has none');
    const typing = alpha.atTerminal('task', 'reply', task, '--credential');
    await typing.says(/credential: $/);
    typing.type(`${TYPED}\r`);
    const done = await typing.ended;
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('1.1 is answered') });
    expect(done.stdout).not.toContain(TYPED);
    // The terminal is as it was.
    expect(done.stdout).toMatch(/ echo /);
    expect(await untilFinished(alpha, task)).toMatchObject({ state: 'completed' });
    // Exactly what was typed came to the process.
    expect((await output(task)).split(' ')[0]).toBe(createHash('sha256').update(TYPED).digest('hex'));
    for (const node of [alpha, beta]) expect(filesWith(node.home, TYPED), node.name).toEqual([]);
  });

  it('is not sent after Ctrl-C, nor when nothing was typed: the task waits on', async () => {
    const task = await start(ask);
    await stateAt(alpha, task, 'credential_required');
    for (const keys of [`${TYPED}\u0003`, '\r']) {
      const typing = alpha.atTerminal('task', 'reply', task, '--credential');
      await typing.says(/credential: $/);
      typing.type(keys);
      const done = await typing.ended;
      expect(done.code).not.toBe(0);
      expect(done.stdout).not.toContain(TYPED);
      expect(done.stdout).toMatch(/ echo /);
    }
    expect(await alpha.client().call('status', { task })).toMatchObject({ state: 'credential_required' });
    await alpha.client().call('cancel', { task });
    for (const node of [alpha, beta]) expect(filesWith(node.home, TYPED), node.name).toEqual([]);
  });
});

describe('a question in a chain', () => {
  it('goes one hop up: the task that handed on answers it, after it has asked in its own name', async () => {
    const parent = await submit(alpha, { profile: 'relay', argv: [...HOLD] });
    const agent = createControlClient(await doorOf(beta, parent));
    const wish = { to: 'gamma', profile: 'talk', argv: script('ask "which branch?"') };
    const { task: child } = await agent.call('delegate', wish);
    expect(await agent.call('wait', { task: child })).toMatchObject({ state: 'input_required' });
    // Whoever is further up sees nothing of it, and answers nothing.
    expect(await alpha.client().call('status', { task: parent })).toMatchObject({ state: 'running' });
    await expect(alpha.client().call('reply', { task: child, text: 'main', question: '1.1' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(gamma.client().call('reply', { task: child, text: 'main', question: '1.1' })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    const asked = agent.call('ask', { questions: [{ text: 'gamma wants to know: which branch?' }] });
    await stateAt(alpha, parent, 'input_required');
    await expect(agent.call('reply', { task: parent, text: 'main', question: '1.1' })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    await alpha.client().call('reply', { task: parent, text: 'main' });
    const text = (await asked).answers[0]?.text ?? '';
    await agent.call('reply', { task: child, text });
    expect(await untilFinished(beta, child)).toMatchObject({ state: 'completed' });
    expect((await agent.call('transcript', { task: child })).text).toBe('main\n');
    await alpha.client().call('cancel', { task: parent });
  });
});

describe('what comes between', () => {
  it('keeps the question over a broken link; a reply meanwhile is UNREACHABLE and kept nowhere', async () => {
    const task = await start('ask "which branch?"');
    await stateAt(alpha, task, 'input_required');
    link.cut();
    await until('alpha knows', async () => (await alpha.client().call('status', { task })).unreachable);
    expect(await alpha.client().call('status', { task })).toMatchObject({
      state: 'input_required',
      turn: { questions: [{ id: '1.1' }] },
    });
    const reply = () => alpha.client().call('reply', { task, text: 'main', idempotency_key: 'k1' });
    await expect(reply()).rejects.toMatchObject({ code: 'UNREACHABLE' });
    expect((await beta.client().call('status', { task })).state).toBe('input_required');
    link.mend();
    await until('the reply arrives', () =>
      reply().then(
        () => true,
        () => false,
      ),
    );
    expect(await untilFinished(alpha, task)).toMatchObject({ state: 'completed' });
    expect(await output(task)).toBe('main\n');
  });

  it('ends the question with a cancel; the reply that comes then is NOT_FOUND', async () => {
    const task = await start('ask "which branch?"');
    await stateAt(alpha, task, 'input_required');
    await alpha.client().call('cancel', { task });
    await expect(alpha.client().call('reply', { task, text: 'main', question: '1.1' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('loses the task with its node, and the question with it', async () => {
    const task = await start('echo here; ask "which branch?"');
    await untilOutput(alpha, task, 'here');
    await stateAt(alpha, task, 'input_required');
    await beta.kill();
    await beta.up();
    expect(await untilFinished(alpha, task)).toMatchObject({ state: 'lost' });
    const shown = await beta.client().call('status', { task });
    expect([shown.state, shown.turn]).toEqual(['lost', undefined]);
    await expect(alpha.client().call('reply', { task, text: 'main', question: '1.1' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('a question to an approver of the executing node', () => {
  it('is answered with their key there, by no reply, and is gone with the task', async () => {
    const person = await enrollPerson(beta);
    const asking = async (text: string): Promise<{ task: string; approval: string }> => {
      const task = await start(`ask --kind approval "${text}"; echo "exit $?"`);
      const { turn } = await stateAt(alpha, task, 'approval_required');
      const [question] = turn?.questions ?? [];
      expect(question).toMatchObject({ kind: 'approval', text, answered_by: 'an approver of the executing node' });
      return { task, approval: question?.approval ?? '' };
    };
    const yes = await asking('may I push?');
    await expect(alpha.client().call('reply', { task: yes.task, text: 'yes', question: '1.1' })).rejects.toMatchObject({
      code: 'NOT_APPROVER',
    });
    expect(await person.answer(yes.approval, 'approve')).toMatchObject({ decided: true });
    await untilFinished(alpha, yes.task);
    expect(await output(yes.task)).toBe('approved\nexit 0\n');
    const no = await asking('may I push more?');
    expect(await person.answer(no.approval, 'deny')).toMatchObject({ decided: true });
    await untilFinished(alpha, no.task);
    expect(await output(no.task)).toBe('denied\nexit 3\n');
    const late = await asking('may I stay?');
    await alpha.client().call('cancel', { task: late.task });
    expect(await person.answer(late.approval, 'approve')).toMatchObject({ decided: false });
  });
});
