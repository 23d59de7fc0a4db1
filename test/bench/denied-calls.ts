import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { ChannelCredentials, Client, type ServiceError, status } from '@grpc/grpc-js';
import { createSystemClock, createSystemRandom, silentLogger, sleep } from '@writ/core';
import { createPinStore, loadIdentity, TLS_SERVER_NAME } from '@writ/identity';
import { compileConfig } from '@writ/policy';
import { loadServices, type Method } from '@writ/wire';
import { rotated } from './interleave.ts';
import { runToEnd } from './process.ts';
import { summarize } from './statistics.ts';
import { processTimeMs } from './thread-time.ts';

const PROGRAM = join(process.cwd(), 'apps/writ/bin/writ.js');

/** Calls at once. */
const IN_FLIGHT = 4;
/** Calls of a sample of what costs a peer one token, so that a rate is a rate: what is done ten times a second at most counts as often as it would. */
const CHEAP_CALLS = 48;
/** … and of what costs forty. */
const DEAR_CALLS = IN_FLIGHT;
/** A task that no peer has. */
const FOREIGN_TASK = '00000000-0000-4000-8000-000000000000';
/** Between two rounds, milliseconds: a peer may ask so often, and no oftener. */
const REST_MS = 180;
const WARM_UP = 10;

/** Calls of one kind, on the one connection to a real node. */
export interface CallRate {
  readonly name: string;
  readonly does: string;
  readonly perSecond: number;
  /** Processor time that one call takes of the node's thread that serves, milliseconds; NaN where the system does not say. */
  readonly nodeMs: number;
}

interface Subject {
  readonly name: string;
  readonly does: string;
  /** Calls of one sample. */
  readonly calls: number;
  readonly call: () => Promise<void>;
}

/** Rates of a call that is answered at once and of calls that policy denies, in turn; two real nodes below `folder`. */
export async function measureDeniedCalls(folder: string, rounds: number): Promise<readonly CallRate[]> {
  const writ = (...args: string[]): Promise<string> =>
    runToEnd(process.execPath, [PROGRAM, ...args], { env: { PATH: process.env.PATH, HOME: folder } });
  // As a node calls: grpc-js reads the stack of every call that is refused, and translating that takes longer than the call.
  process.setSourceMapsEnabled(false);
  const pid = pidOf('beta', await writ('mesh', 'up', '--nodes', '2', '--dir', folder, '--json'));
  const client = await dial(join(folder, 'alpha'));
  try {
    const subjects = subjectsOf(client);
    const samples = new Map(subjects.map(({ name }) => [name, { tookMs: [] as number[], nodeMs: [] as number[] }]));
    for (let round = -WARM_UP; round < rounds; round++) {
      for (const { name, calls, call } of rotated(subjects, round + WARM_UP)) {
        const nodeMs = processTimeMs(pid);
        const startedAt = performance.now();
        await Promise.all(Array.from({ length: IN_FLIGHT }, () => inTurn(calls / IN_FLIGHT, call)));
        if (round < 0) continue;
        samples.get(name)?.tookMs.push((performance.now() - startedAt) / calls);
        samples.get(name)?.nodeMs.push((processTimeMs(pid) - nodeMs) / calls);
      }
      await sleep(REST_MS);
    }
    return subjects.map(({ name, does }) => {
      const { tookMs = [], nodeMs = [] } = samples.get(name) ?? {};
      return { name, does, perSecond: 1000 / summarize(tookMs).medianMs, nodeMs: summarize(nodeMs).medianMs };
    });
  } finally {
    client.close();
    await writ('mesh', 'down', '--purge', '--yes', '--dir', folder);
  }
}

async function inTurn(times: number, call: () => Promise<void>): Promise<void> {
  for (let at = 0; at < times; at++) await call();
}

function subjectsOf(client: Client): readonly Subject[] {
  const { mesh, health } = loadServices();
  return [
    {
      name: 'no-op',
      does: 'the health check, which passes every check of the mesh and is answered at once',
      calls: CHEAP_CALLS,
      call: async () => {
        const answer = await ask(client, health.Check, { service: '' });
        if (answer.status !== 'SERVING') throw new Error(`the node is ${String(answer.status)}`);
      },
    },
    {
      name: 'denied call',
      does: "a call about a task that is not the caller's",
      calls: CHEAP_CALLS,
      call: () =>
        ask(client, mesh.GetTask, { task: FOREIGN_TASK }).then(
          () => Promise.reject(new Error('a task that is none was described')),
          (error: ServiceError) => {
            if (error.code !== status.NOT_FOUND) throw error;
          },
        ),
    },
    {
      name: 'denied question',
      calls: DEAR_CALLS,
      does: 'a question that the policy engine denies, counted durably against the limits of its peer',
      call: async () => {
        const { decision } = await ask(client, mesh.CheckPolicy, { profile: 'nothing' });
        if (decision?.effect !== 'EFFECT_DENY') throw new Error(`what was to be denied is ${String(decision?.effect)}`);
      },
    },
  ];
}

function pidOf(node: string, mesh: string): number {
  const { nodes } = JSON.parse(mesh) as { readonly nodes: readonly { readonly name: string; readonly pid: number }[] };
  const pid = nodes.find(({ name }) => name === node)?.pid;
  if (pid === undefined) throw new Error(`there is no node ${node}`);
  return pid;
}

/** As the node of this home dials the other one. */
async function dial(home: string): Promise<Client> {
  const random = createSystemRandom();
  const identity = await loadIdentity({ dir: join(home, 'keys'), clock: createSystemClock(), random });
  const compiled = compileConfig(readFileSync(join(home, 'writ.toml'), 'utf8'));
  const peer = compiled.ok ? compiled.policy.config.peers.get('beta') : undefined;
  const pin = createPinStore(join(home, 'pins'), random, silentLogger).get(peer?.id ?? '');
  if (peer?.address === undefined || pin === undefined) throw new Error('the nodes are not paired');
  const { keyPem, chainPem } = identity.tls();
  const context = createSecureContext({ key: keyPem, cert: chainPem, ca: pin.certificatePem, minVersion: 'TLSv1.3' });
  return new Client(peer.address, ChannelCredentials.createFromSecureContext(context), {
    'grpc.ssl_target_name_override': TLS_SERVER_NAME,
  });
}

function ask<Q, R>(client: Client, method: Method<Q, R>, request: Parameters<Method<Q, R>['requestSerialize']>[0]) {
  const { path, requestSerialize, responseDeserialize } = method;
  return new Promise<R>((resolve, reject) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, (error, answer) => {
      if (error !== null) reject(error);
      else if (answer === undefined) reject(new Error('a call without an answer'));
      else resolve(answer);
    });
  });
}
