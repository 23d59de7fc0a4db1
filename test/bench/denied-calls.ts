import { type Client, type ServiceError, status } from '@grpc/grpc-js';
import { sleep } from '@writ/core';
import { loadServices } from '@writ/wire';
import { rotated } from './interleave.ts';
import { ask, startMeshPair } from './mesh-pair.ts';
import { summarize } from './statistics.ts';
import { processTimeMs } from './thread-time.ts';

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
  const { pid, client, close } = await startMeshPair(folder);
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
    await close();
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
