/**
 * The spawner: a small process that starts, watches and ends the processes of tasks for a gateway, so that the gateway
 * never forks itself. It is bundled to one file, takes the folder
 * for its pipes and how their names begin as its arguments, and speaks `frames.ts` on file descriptor 3. When
 * that socket closes, the gateway is gone: everything is killed and the spawner ends.
 */
import { Socket } from 'node:net';
import { createSystemClock } from '@writ/core';
import { createProcessTable } from '../process-tree/process-table.ts';
import { closeInherited } from './inherited.ts';
import { createPipePool } from './pipes.ts';
import { serveGateway } from './serve-gateway.ts';

const CHANNEL_FD = 3;

// The gateway decides when tasks end; a signal to its whole group or service must not cut them short before that.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

closeInherited([CHANNEL_FD]);
const channel = new Socket({ fd: CHANNEL_FD, readable: true, writable: true });
const pipes = createPipePool(process.argv[2] ?? '', process.argv[3] ?? '');
serveGateway(channel, { clock: createSystemClock(), table: createProcessTable(), pipes }, () => {
  void pipes.settled().then(() => process.exit(0));
});
