import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { silentLogger } from '@writ/core';
import type { Decision, UpstreamConfig, UpstreamRequest } from '@writ/policy';
import { afterEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../testing/fake-clock.ts';
import { fakeConfig } from '../testing/fake-config.ts';
import { createFakeNode } from '../testing/fake-node.ts';
import { fakeTask } from '../testing/fake-records.ts';
import { startHttpUpstream } from '../testing/http-upstream.ts';
import { startListening } from '../testing/listening.ts';
import { httpTransport, mcpClient } from '../testing/mcp-clients.ts';
import { UPSTREAM_PROGRAM } from '../testing/upstream-server.ts';
import type { Caller } from '../types.ts';
import type { UpstreamAudit } from '../upstream-ports.ts';
import { createUpstreams, type UpstreamParts } from './upstreams.ts';

const agent: Caller = { kind: 'host', session: { origin: 'wn-alpha', id: 's-1', agent: 'codex' } };
const task: Caller = { kind: 'task', task: 't-root', session: { origin: 'wn-beta', id: 's-9', agent: 'other' } };
const SMALL: UpstreamConfig = {
  ...{ name: 'small', command: [process.execPath, '-e', UPSTREAM_PROGRAM], env: ['PATH'], sessionArgument: 'session' },
  ...{ agents: ['echo', 'env', 'slow', 'end'], tasks: ['echo'], profiles: ['query'] },
};

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Real processes, without the spawner; decisions as the lists say them. */
function createWorld(...servers: readonly UpstreamConfig[]) {
  const node = createFakeNode();
  const clock = createFakeClock();
  const config = { ...fakeConfig(), upstreams: new Map(servers.map((server) => [server.name, server])) };
  const noted: Parameters<UpstreamAudit['note']>[0][] = [];
  const started: number[] = [];
  let changed: () => void = () => {};
  let letLate = (): void => {};
  const isLet = new Promise<void>((resolve) => {
    letLate = resolve;
  });
  const parts: UpstreamParts = {
    engine: {
      snapshot: () => ({ generation: 1, digest: 'd', config, peer: () => undefined, deprecations: [] }),
      decideUpstream: (request) => decide(config.upstreams.get(request.upstream), request),
      onChange(listener) {
        changed = () => listener({ ...parts.engine.snapshot(), generation: 2 }, {} as never);
        return () => {};
      },
    },
    executor: { get: (id) => node.executing.records.get(id) },
    sessions: node.ports.sessions,
    audit: { note: (entry) => void noted.push(entry) },
    processes: {
      async start({ argv, env, onOutput }) {
        const [program = '', ...rest] = argv;
        const passed = Object.fromEntries(env.map((name) => [name, process.env[name]]));
        const child = spawn(program, rest, { env: passed, stdio: ['pipe', 'pipe', 'ignore'] });
        started.push(child.pid ?? 0);
        child.stdout.on('data', async (bytes: Buffer) => {
          if (argv.includes('late')) await isLet;
          onOutput(bytes);
        });
        child.stdin.on('error', () => {});
        return {
          write: async (bytes) => void child.stdin.write(bytes),
          stop: () => void child.kill('SIGKILL'),
          done: once(child, 'exit'),
        };
      },
    },
    ...{ version: '1', clock, logger: silentLogger },
  };
  const upstreams = createUpstreams(parts);
  ends.push(() => upstreams.close());
  const call = (
    name: string,
    args: Record<string, unknown> = {},
    caller = agent,
    signal = new AbortController().signal,
  ) => upstreams.call(name, args, { caller, signal });
  return { ...node, clock, config, noted, started, upstreams, call, letLate: () => letLate(), reload: () => changed() };
}

function decide(server: UpstreamConfig | undefined, { tool, profile }: UpstreamRequest): Decision {
  const tools = profile === undefined ? server?.agents : server?.profiles.includes(profile) ? server.tasks : [];
  const denied = { effect: 'deny', code: 'PROFILE_NOT_ALLOWED', message: 'no', nextSteps: ['ask'] } as const;
  const allowed = { effect: 'allow', code: 'OK', message: 'yes', nextSteps: [] } as const;
  return { ...(tools?.includes(tool) ? allowed : denied), generation: 1, trace: [] };
}

const names = (tools: readonly { readonly name: string }[]): string[] => tools.map(({ name }) => name);
const textOf = ({ content: [first] }: Awaited<ReturnType<ReturnType<typeof createWorld>['call']>>): unknown =>
  JSON.parse(first?.type === 'text' ? first.text : 'null');

describe('upstream MCP servers', () => {
  it('are offered as far as policy goes, under their names, without the argument of the session', async () => {
    const { upstreams } = createWorld(SMALL);
    const tools = await upstreams.offered(agent);
    expect(names(tools)).toEqual(['small__echo', 'small__env', 'small__slow', 'small__end']);
    expect(tools[0]).toMatchObject({
      description: expect.stringMatching(/not to be trusted\] the echo$/),
      inputSchema: { properties: { text: {} }, required: ['text'] },
    });
    expect(JSON.stringify(tools)).not.toContain('"session"');
  });

  it('are called with the session in a copy, whatever the caller says of it, and answer as somebody else', async () => {
    const { call, noted } = createWorld(SMALL);
    const given = { text: 'hello', session: 's-of-another' };
    const answer = await call('small__echo', given);
    expect(textOf(answer)).toEqual({ text: 'hello', session: 's-1' });
    expect(answer._meta).toEqual({ 'writ/upstream': 'small', 'writ/untrusted': true });
    expect(given.session).toBe('s-of-another');
    expect(noted).toEqual([{ actor: 'self', upstream: 'small', tool: 'echo', allowed: true }]);
    expect(JSON.stringify(noted)).not.toContain('hello');
  });

  it('see of the environment what is named', async () => {
    const { call } = createWorld(SMALL);
    expect(textOf(await call('small__env'))).toEqual(['PATH']);
  });

  it('are closed to whom no list names: nothing is started for that, and it is written down', async () => {
    const { call, upstreams, noted, started, executing } = createWorld({ ...SMALL, agents: [], tasks: ['echo'] });
    expect(await upstreams.offered(agent)).toEqual([]);
    await expect(call('small__echo')).rejects.toMatchObject({ code: 'PROFILE_NOT_ALLOWED', nextSteps: ['ask'] });
    await expect(call('small__echo', {}, task)).rejects.toMatchObject({ code: 'PROFILE_NOT_ALLOWED' });
    expect(started).toEqual([]);
    expect(noted.map(({ allowed }) => allowed)).toEqual([false, false]);
    executing.records.set('t-root', fakeTask('t-root'));
    expect(names(await upstreams.offered(task))).toEqual(['small__echo']);
    expect(textOf(await call('small__echo', { text: 'x' }, task))).toEqual({ text: 'x', session: 's-9' });
    expect(noted.at(-1)).toMatchObject({ task: 't-root', allowed: true });
  });

  it('are started with their first use, and again after they ended, with growing pauses', async () => {
    const { call, upstreams, started, clock } = createWorld(SMALL);
    expect(started).toHaveLength(0);
    await call('small__echo');
    await call('small__echo');
    expect(started).toHaveLength(1);
    for (const pauseMs of [1000, 2000]) {
      await expect(call('small__end')).rejects.toMatchObject({ code: 'WORKER_FAILED' });
      await expect(call('small__echo')).rejects.toMatchObject({
        code: 'UNREACHABLE',
        message: expect.stringContaining(`again in ${pauseMs / 1000}s`),
      });
      expect(await upstreams.offered(agent)).toEqual([]);
      clock.advance(pauseMs);
      await call('small__echo');
    }
    expect(started).toHaveLength(3);
    clock.advance(60_000);
    await expect(call('small__end')).rejects.toMatchObject({ code: 'WORKER_FAILED' });
    await expect(call('small__echo')).rejects.toMatchObject({ message: expect.stringContaining('again in 1s') });
  });

  it('are written down by the names that there are, and by no others', async () => {
    const { call, upstreams, noted } = createWorld(SMALL);
    await expect(call('other__echo')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    for (const name of [`small__${'x'.repeat(2 ** 20)}`, 'small__a b', 'whoami']) {
      expect(upstreams.owns(name)).toBe(false);
      await expect(call(name)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(noted).toEqual([]);
  });

  it('are listed without those that do not answer within a second, which are told of when they are up', async () => {
    const late = { ...SMALL, name: 'late', command: [process.execPath, '-e', UPSTREAM_PROGRAM, 'late'] };
    const { upstreams, clock, letLate } = createWorld(late, SMALL);
    let told = (): void => {};
    const isUp = new Promise<void>((resolve) => {
      told = resolve;
    });
    const stop = upstreams.onChange(told);
    const listed = upstreams.offered(agent);
    await clock.armed(1000);
    clock.advance(1000);
    expect(names(await listed)).not.toContain('late__echo');
    letLate();
    await isUp;
    stop();
    expect(names(await upstreams.offered(agent))).toContain('late__echo');
  });

  it('are followed in the tools that they offer, and whoever is served is told', async () => {
    const { call, upstreams } = createWorld({ ...SMALL, agents: ['grow', 'grown'] });
    expect(names(await upstreams.offered(agent))).not.toContain('small__grown');
    const told = new Promise<void>((resolve) => upstreams.onChange(resolve));
    await call('small__grow');
    await told;
    expect(names(await upstreams.offered(agent))).toContain('small__grown');
  });

  it('are offered without the tools that are none, and it is said which and why', async () => {
    const { call, upstreams } = createWorld({ ...SMALL, agents: ['echo', 'crooked', 'bent'] });
    expect(upstreams.problems()).toEqual([]);
    await upstreams.offered(agent);
    const badName = {
      upstream: 'small',
      problem: 'its tool `bad name` is left out: no client could call it by this name',
    };
    expect(upstreams.problems()).toEqual([badName]);
    const told = new Promise<void>((resolve) => upstreams.onChange(resolve));
    await call('small__crooked');
    await told;
    expect(names(await upstreams.offered(agent))).toEqual(['small__echo', 'small__crooked']);
    expect(upstreams.problems()).toEqual([
      badName,
      { upstream: 'small', problem: expect.stringMatching(/^its tool `bent` is left out: inputSchema\.type: /) },
      { upstream: 'small', problem: expect.stringMatching(/^its tool `one without a name` is left out: name: /) },
    ]);
    expect(textOf(await call('small__echo', { text: 'x' }))).toMatchObject({ text: 'x' });
  });

  it('are offered as far as there are not too many, and it is said how many there are', async () => {
    const agents = ['crowd', ...Array.from({ length: 200 }, (_, n) => `crowd${n}`)];
    const { call, upstreams } = createWorld({ ...SMALL, agents });
    await upstreams.offered(agent);
    const told = new Promise<void>((resolve) => upstreams.onChange(resolve));
    await call('small__crowd');
    await told;
    expect(await upstreams.offered(agent)).toHaveLength(128);
    expect(upstreams.problems()).toContainEqual({
      upstream: 'small',
      problem:
        'agents may call 201 of its tools, and are offered the first 128: name those that are needed in `agents`',
    });
  });

  it('have nothing of their schemas executed: what they answer is theirs, whether it fits them or not', async () => {
    const { call, upstreams } = createWorld({ ...SMALL, agents: ['strict'] });
    expect(names(await upstreams.offered(agent))).toEqual(['small__strict']);
    const answer = await call('small__strict', { a: `${'a'.repeat(12)}!` });
    expect(answer.structuredContent).toEqual({ a: `${'a'.repeat(12)}!` });
  });

  it('are offered without tools that are larger or nested deeper than any is', async () => {
    const { call, upstreams } = createWorld({ ...SMALL, agents: ['big'] });
    await upstreams.offered(agent);
    const told = new Promise<void>((resolve) => upstreams.onChange(resolve));
    await call('small__big');
    await told;
    const left = upstreams.problems().map(({ problem }) => problem);
    expect(left.slice(1)).toEqual([
      'its tool `deeper` is left out: it is nested deeper than 64 levels',
      'its tool `bottomless` is left out: it is nested deeper than 64 levels',
      'its tool `wider` is left out: it holds more than 10000 values',
    ]);
  });

  it('are ended where they answer with more values than are read, and it is said', async () => {
    const { call, upstreams } = createWorld({ ...SMALL, agents: ['strict'] });
    await expect(call('small__strict', { a: 'keys' })).rejects.toMatchObject({ code: 'WORKER_FAILED' });
    expect(upstreams.problems()[0]).toMatchObject({
      problem: 'it does not answer: it was ended: a message of it holds more than 30000 values',
    });
  });

  it('are not waited for by a node that stops while they begin', async () => {
    const { call, upstreams, started } = createWorld({
      ...SMALL,
      command: [process.execPath, '-e', UPSTREAM_PROGRAM, 'mute'],
    });
    const beginning = expect(call('small__echo')).rejects.toMatchObject({
      ...{ code: 'UNREACHABLE', message: expect.not.stringMatching(/time/) },
    });
    await expect.poll(() => started.length).toBe(1);
    await upstreams.close();
    await beginning;
    for (const pid of started) expect(() => process.kill(pid, 0)).toThrow();
  });

  it('that cannot be started are told as that, and left out of the list', async () => {
    const { call, upstreams, clock } = createWorld(SMALL, {
      ...{ ...SMALL, name: 'broken', sessionArgument: 'x' },
      command: [process.execPath, '-e', 'process.exit(1)'],
    });
    expect(names(await upstreams.offered(agent))).toHaveLength(4);
    await expect(call('broken__echo')).rejects.toMatchObject({ code: 'UNREACHABLE' });
    expect(upstreams.problems()).toContainEqual({
      ...{ upstream: 'broken', problem: expect.stringMatching(/^it does not answer: /) },
    });
    clock.advance(1000);
    await expect(call('broken__echo')).rejects.toMatchObject({ code: 'UNREACHABLE' });
    await expect(call('broken__echo')).rejects.toMatchObject({ message: expect.stringContaining('tried again in 2s') });
  });

  it('end with a reload that takes them away or makes others of them, and with the node', async () => {
    const { call, config, started, reload, upstreams } = createWorld(SMALL, { ...SMALL, name: 'kept' });
    await call('small__echo');
    await call('kept__echo');
    config.upstreams.set('small', { ...SMALL, env: [] });
    reload();
    await upstreams.close();
    for (const pid of started) expect(() => process.kill(pid, 0)).toThrow();
    await expect(call('kept__echo')).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  });

  it('leave a call that its caller cancels', async () => {
    const { call } = createWorld(SMALL);
    await call('small__echo');
    const abort = new AbortController();
    const waiting = call('small__slow', {}, agent, abort.signal);
    waiting.catch(() => {});
    abort.abort();
    await expect(waiting).rejects.toThrow();
    await call('small__echo');
  });
});

describe('an upstream over HTTP', () => {
  it.each([404, 400])('is begun with anew once it answers %i to its session, as after a restart', async (status) => {
    const server = await startHttpUpstream(status);
    ends.push(() => server.stop());
    const { call, clock } = createWorld({ ...SMALL, command: undefined as never, url: server.url });
    await call('small__echo');
    server.forgetSessions();
    await expect(call('small__echo')).rejects.toMatchObject({ code: 'WORKER_FAILED' });
    clock.advance(1000);
    await call('small__echo');
  });

  it('is another node’s own endpoint, for one', async () => {
    const at = await startListening();
    ends.push(() => at.stop());
    const { host, port } = await at.gateway.listenHttp('127.0.0.1:0');
    // Without a token it says no, and that is what is told.
    const { call } = createWorld({ ...SMALL, command: undefined as never, url: `http://${host}:${port}/mcp` });
    await expect(call('small__echo')).rejects.toMatchObject({ code: 'UNREACHABLE' });
    const client = mcpClient('2026-07-28');
    await client.connect(httpTransport({ host, port }, { 'writ-toolsets': 'upstreams' }));
    expect(names((await client.listTools()).tools)).toContain('whoami');
    await client.close();
  });
});
