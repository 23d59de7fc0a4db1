import type { Clock, Logger } from '@writ/core';
import type { Dispatcher } from '../dispatch.ts';
import type { Entrances } from '../entrance.ts';
import type { FollowTask } from '../operations/follow-task.ts';
import type { NodeControl, Sessions } from '../ports.ts';
import type { Registry } from '../registry.ts';
import type { Caller, Toolset } from '../types.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import type { WithSession } from './connection-session.ts';
import type { ToolDefinitions } from './tool-definitions.ts';

/** What MCP is served from, on every transport. */
export interface McpParts {
  readonly registry: Registry;
  readonly definitions: ToolDefinitions;
  readonly dispatcher: Dispatcher;
  readonly sessions: Pick<Sessions, 'start'>;
  readonly node: Pick<NodeControl, 'info'>;
  readonly follow: FollowTask;
  readonly upstreams: Upstreams;
  readonly enter: Entrances;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Whom a server serves. */
export interface McpAudience {
  readonly caller: Caller;
  readonly toolsets: readonly Toolset[];
  readonly withSession: WithSession;
}

/** One request over HTTP, from a caller whose credential was checked. */
export interface McpCall {
  readonly request: Request;
  /** The JSON body; undefined where the method has none. */
  readonly body: unknown;
  readonly caller: Caller;
  readonly toolsets: readonly Toolset[];
  /** Aborted when the exchange is over, whoever ended it. */
  readonly signal: AbortSignal;
}
