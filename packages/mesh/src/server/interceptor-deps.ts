import type { Clock, Logger, Tracing } from '@writ/core';
import type { MeshLimits } from '../limits.ts';
import type { MethodPolicy } from '../method-table.ts';
import type { CallContexts } from './call-context.ts';
import type { Connections } from './connections.ts';
import type { OpenCalls } from './open-calls.ts';
import type { PeerIndex } from './peer-index.ts';

/** What the interceptors look at. */
export interface InterceptorDeps {
  readonly contexts: CallContexts;
  readonly connections: Connections;
  readonly calls: OpenCalls;
  readonly peers: PeerIndex;
  readonly table: Readonly<Record<string, MethodPolicy>>;
  readonly hasOpenInvite: () => boolean;
  readonly limits: MeshLimits;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Absent: no call is traced. */
  readonly tracing?: Tracing | undefined;
}
