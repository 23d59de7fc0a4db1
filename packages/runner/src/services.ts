import { type Random, visible, WritError } from '@writ/core';
import { MARKER } from './process-tree/members.ts';
import type { ProcessInput, Spawner } from './spawned.ts';

const NONCE_BYTES = 16;

/** What a service is started with. */
export interface ServiceOrder {
  readonly argv: readonly string[];
  /** Complete and exact, but for the mark of its processes. */
  readonly env: Readonly<Record<string, string>>;
  /** Takes what it writes on standard output; more waits until the promise resolves. */
  readonly onOutput: (bytes: Buffer) => Promise<void>;
}

/** A process that answers on its standard input and output for as long as it is wanted. */
export interface Service {
  readonly input: ProcessInput;
  /** Resolves when its tree is gone; never rejects. */
  readonly done: Promise<unknown>;
  /** TERM, grace, KILL for the whole tree. */
  stop(): void;
}

/** Services of the node's own, not of a task; they end with it. */
export interface Services {
  /** Throws RUNNER_UNAVAILABLE where the program could not be started, SHUTTING_DOWN. */
  start(order: ServiceOrder): Promise<Service>;
}

/** Services, and how all of them are ended. */
export interface LiveServices extends Services {
  end(): Promise<void>;
}

/** What it says on standard error is dropped: it may hold anything. */
export function createServices(options: {
  readonly spawner: Spawner;
  readonly noncePrefix: string;
  readonly graceMs: number;
  readonly random: Random;
}): LiveServices {
  const { spawner, noncePrefix, graceMs, random } = options;
  const live = new Set<Service>();
  let isEnded = false;
  return {
    async start({ argv, env, onOutput }) {
      if (isEnded) throw new WritError('SHUTTING_DOWN', 'the runner is closed');
      const nonce = `${noncePrefix}${Buffer.from(random.bytes(NONCE_BYTES)).toString('hex')}`;
      const order = { argv, cwd: '/', env: { ...env, [MARKER]: nonce }, inputOpen: true, nonce, graceMs };
      const result = await spawner.spawn(order, async (stream, bytes) => {
        if (stream === 'stdout') await onOutput(bytes);
      });
      if (!result.ok) {
        throw new WritError('RUNNER_UNAVAILABLE', `it could not be started: ${visible(result.failed.message)}`);
      }
      const service = result.process;
      live.add(service);
      void service.done.then(() => live.delete(service));
      if (isEnded) service.stop();
      return service;
    },
    async end() {
      isEnded = true;
      const left = [...live];
      for (const service of left) service.stop();
      await Promise.all(left.map(({ done }) => done));
    },
  };
}
