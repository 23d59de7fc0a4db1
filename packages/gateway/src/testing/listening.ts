import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ControlClient, createControlClient } from '../client/index.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import { createFakeNode, type FakeNode, HOST_TOKEN, TASK_TOKEN } from './fake-node.ts';

/** A gateway over a fake node that listens on a real socket. */
export interface Listening {
  readonly node: FakeNode;
  readonly gateway: Gateway;
  readonly folder: string;
  readonly socketPath: string;
  /** The socket that takes TASK_TOKEN. */
  readonly taskSocketPath: string;
  readonly client: ControlClient;
  /** On the socket that is meant for that token. */
  clientWith(token: string): ControlClient;
  /** Ends it and takes its folder away. */
  stop(): Promise<void>;
}

/** Starts one in a folder of its own. */
export async function startListening(): Promise<Listening> {
  const home = await mkdtemp(join(tmpdir(), 'writ-gw-'));
  const folder = join(home, 'run');
  const socketPath = join(folder, 'control.sock');
  const node = createFakeNode();
  const gateway = createGateway(node.ports);
  await gateway.listenControl(socketPath);
  const taskSocketPath = join(home, 'tasks', 't-root.sock');
  await gateway.listenTask('t-root', taskSocketPath);
  const clientWith = (token: string): ControlClient =>
    createControlClient({ socketPath: token === TASK_TOKEN ? taskSocketPath : socketPath, token });
  return {
    node,
    gateway,
    folder,
    socketPath,
    taskSocketPath,
    client: clientWith(HOST_TOKEN),
    clientWith,
    async stop() {
      await gateway.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}
