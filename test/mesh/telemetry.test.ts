import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { createControlClient } from '@writ/gateway/client';
import {
  createTestMesh,
  doorOf,
  executingConfig,
  freePort,
  HOLD,
  type MeshNode,
  makeRepository,
  pairNodes,
  startAgent,
  type TaskDoor,
  until,
} from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const RELAY = `
[profiles.relay]
capabilities = ["read_repo", "subdelegate"]
shell = "allow"
runner = "shell"
require_explicit = true
require_lease = true
timeout = "10m"
isolation = "none"
`;

/** Stands in a command, and in nothing that is told of it. */
const PLANTED = 'planted-5f2c91d07e';

/** A span as OTLP over HTTP has it. */
interface Sent {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly node: string;
}

const mesh = createTestMesh();
const spans: Sent[] = [];
const bodies: string[] = [];
let collector: Server;
let alpha: MeshNode;
let beta: MeshNode;
let gamma: MeshNode;
let door: TaskDoor;
let metricsPort: number;

/** A collector in this process that keeps what it is sent. */
async function startCollector(): Promise<number> {
  collector = createServer(async (request, response) => {
    const body = (await json(request)) as {
      readonly resourceSpans: readonly {
        readonly resource: { readonly attributes: readonly { key: string; value: { stringValue?: string } }[] };
        readonly scopeSpans: readonly { readonly spans: readonly Omit<Sent, 'node'>[] }[];
      }[];
    };
    bodies.push(JSON.stringify(body));
    for (const { resource, scopeSpans } of body.resourceSpans) {
      const node = resource.attributes.find(({ key }) => key === 'service.instance.id')?.value.stringValue ?? '';
      for (const scope of scopeSpans) spans.push(...scope.spans.map((span) => ({ ...span, node })));
    }
    response.end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const address = collector.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

beforeAll(async () => {
  const port = await startCollector();
  metricsPort = await freePort();
  const workspaces = { app: makeRepository(join(mesh.dir, 'app')) };
  const traces = `\n[telemetry]\ntraces = "http://127.0.0.1:${port}/v1/traces"\n`;
  const commands = [[...HOLD], ['echo', '**']];
  const config =
    (name: string, more = '') =>
    (listen: string): string =>
      executingConfig({ name, listen, workspaces, commands, more: `${RELAY}${traces}${more}` });
  [alpha, beta, gamma] = await Promise.all([
    mesh.add('alpha', { config: config('alpha', `metrics = "127.0.0.1:${metricsPort}"\n`) }),
    mesh.add('beta', { config: config('beta') }),
    mesh.add('gamma', { config: config('gamma') }),
  ]);
  await pairNodes(beta, alpha, { profiles: ['query', 'relay'], workspaces: ['app'] });
  await pairNodes(gamma, beta, { profiles: ['query'], workspaces: ['app'] });
  await beta.configure(beta.config().replace('[peers.alpha]', '[peers.alpha]\nmax_depth = 2'));
  const origins = `\n[origins.alpha]\nid = "${await alpha.id()}"\n`;
  await gamma.configure(gamma.config().replace('[peers.beta]', '[peers.beta]\naccept_origins = ["alpha"]') + origins);
  await beta.client().call('lease_grant', { peer: 'alpha', profile: 'relay', duration: '8h' });
}, 120_000);
afterAll(async () => {
  await mesh.close();
  await new Promise((resolve) => collector.close(resolve));
}, 60_000);

const named = (name: string, node?: string): readonly Sent[] =>
  spans.filter((span) => span.name === name && (node === undefined || span.node === node));

describe('a tool call whose work is handed on twice', () => {
  it('is one trace, from the agent that asked to the last runner', async () => {
    const agent = await startAgent(alpha);
    const asked = await agent.call('delegate', { to: 'beta', profile: 'relay', workspace: 'app', argv: [...HOLD] });
    const task = String(asked.task);
    door = await doorOf(beta, task);
    const held = createControlClient(door);
    const child = await held.call('delegate', { to: 'gamma', profile: 'query', argv: ['echo', PLANTED] });
    expect(child.accepted).toBe(true);
    await held.call('wait', { task: child.task, timeout_seconds: 30 });
    await alpha.client().call('cancel', { task });
    await agent.close();
    const [first, middle, last] = await Promise.all([alpha.id(), beta.id(), gamma.id()]);
    const run = await until('the last run is told', () => named('task run', last)[0]);
    await until('the first call is told', () => named('gateway delegate', first)[0]);
    await until('the run between is told', () => named('task run', middle)[0]);

    const above = (span: Sent): readonly string[] => {
      const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
      return [...(parent === undefined ? [] : above(parent)), `${span.node} ${span.name}`];
    };
    expect(above(run)).toEqual([
      `${first} gateway delegate`,
      `${first} mesh Submit`,
      `${middle} mesh Submit`,
      `${middle} task run`,
      `${middle} gateway delegate`,
      `${middle} mesh Submit`,
      `${last} mesh Submit`,
      `${last} task run`,
    ]);
    const traces = new Set(spans.filter(({ traceId }) => traceId === run.traceId).map(({ node }) => node));
    expect(traces).toEqual(new Set([first, middle, last]));
  });

  it('is counted where metrics are configured, for this machine alone', async () => {
    const page = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
    expect(page.status).toBe(200);
    const text = await page.text();
    expect(text).toMatch(/^writ_call_seconds_count\{name="gateway delegate",kind="server",code="OK"\} 1$/m);
    expect(text).toMatch(/^writ_peers\{link="up"\} 1$/m);
    for (const header of ['host', 'origin']) {
      expect(await statusOf(metricsPort, { [header]: 'http://evil.example' })).toBe(403);
    }
  });

  it('is one with its stream, until that ends, and with what the log says meanwhile', async () => {
    const agent = await startAgent(alpha);
    const asked = await agent.call('delegate', { to: 'self', profile: 'query', argv: ['echo', PLANTED] });
    await agent.close();
    await alpha.writ('task', 'watch', String(asked.task));
    await alpha.client().call('policy_reload', {});
    const id = await alpha.id();
    await until('the stream is told', () => named('gateway task_watch', id)[0]);
    const reload = await until('the reload is told', () => named('gateway policy_reload', id)[0]);
    const log = readFileSync(join(alpha.home, 'node.log'), 'utf8');
    const lines = log.split('\n').filter((line) => line.includes('"policy reloaded"'));
    expect(lines.filter((line) => line.includes(`"trace_id":"${reload.traceId}"`))).toHaveLength(1);
  });

  it('leaves no secret in traces, logs and metrics', async () => {
    const page = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const logs = [alpha, beta, gamma].map(({ home }) => readFileSync(join(home, 'node.log'), 'utf8'));
    const tokens = [alpha, beta, gamma].map(({ home }) => readFileSync(join(home, 'run', 'host-token'), 'utf8').trim());
    const told = [...bodies, ...logs, page].join('\n');
    expect(told.length).toBeGreaterThan(1000);
    for (const secret of [PLANTED, door.token, ...tokens]) expect(told.includes(secret)).toBe(false);
  });
});

it('a node whose configuration says nothing of it sends nothing and listens nowhere', async () => {
  const silent = await mesh.add('silent');
  const before = bodies.length;
  await silent.client().call('whoami', {});
  await silent.down();
  expect(existsSync(join(silent.home, 'run', 'node.json'))).toBe(false);
  const own = bodies.slice(before).filter((body) => body.includes('whoami'));
  expect(own).toEqual([]);
});

/** Asks with headers that `fetch` does not let anybody set. */
async function statusOf(port: number, headers: Readonly<Record<string, string>>): Promise<number> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path: '/metrics', headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    outgoing.once('error', reject);
    outgoing.end();
  });
}
