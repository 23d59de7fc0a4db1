import type { HostPort } from '@writ/core';
import type { PolicyEngine } from '@writ/policy';
import { createDispatcher } from './dispatch.ts';
import { createEntrances } from './entrance.ts';
import type { GatewayPorts } from './gateway-ports.ts';
import { serveMcp } from './mcp/mcp-connection.ts';
import { createMcpHttp } from './mcp/mcp-http.ts';
import { createToolDefinitions } from './mcp/tool-definitions.ts';
import { createFollowTask } from './operations/follow-task.ts';
import { createOperations } from './operations/index.ts';
import type { Authenticator } from './ports.ts';
import { createRegistry, type Registry } from './registry.ts';
import { type ControlServer, createControlServer } from './server/control-server.ts';
import { createHttpServer } from './server/http-server.ts';
import type { Caller } from './types.ts';
import { createUpstreams } from './upstreams/upstreams.ts';

/** What this machine touches of its node. */
export interface Gateway {
  /** The very engine that was passed in. */
  readonly engine: PolicyEngine;
  readonly registry: Registry;
  /**
   * Serves the control socket at `path`: mode 0600 in a folder of mode 0700. Throws ALREADY_RUNNING, HOME_INSECURE,
   * CONFLICT or BAD_REQUEST.
   */
  listenControl(path: string): Promise<void>;
  /**
   * Serves the same operations at `path` to the token of this one task, and to nobody else, under the same conditions;
   * resolves with how to end it.
   */
  listenTask(task: string, path: string): Promise<() => Promise<void>>;
  /**
   * Serves MCP and the stream of events over HTTP at a loopback address, to the host token; resolves with where. Throws
   * BAD_REQUEST or PORT_IN_USE.
   */
  listenHttp(address: string): Promise<HostPort>;
  /** Ends every connection and every socket; resolves when none is left. */
  close(): Promise<void>;
}

/** Most connections at once to the control socket, and to that of one task. */
const MOST_CONNECTIONS = 1024;
const MOST_OF_TASK = 128;

/** Builds the gateway of one node; nothing listens before `listenControl`. */
export function createGateway(ports: GatewayPorts): Gateway {
  const { engine, authenticator, clock, logger, sessions, node } = ports;
  const upstreams = createUpstreams({
    ...{ engine, executor: ports.executor, sessions, clock, logger, version: node.info().version },
    ...{ processes: ports.upstreamProcesses, audit: ports.upstreamAudit, trace: ports.trace },
  });
  const registry = createRegistry(createOperations(ports, upstreams));
  const dispatcher = createDispatcher(registry, ports.scope, ports.trace);
  const follow = createFollowTask(ports);
  const enter = createEntrances();
  const mcp = {
    ...{ upstreams, registry, definitions: createToolDefinitions(registry), dispatcher, enter },
    ...{ sessions, node, follow, clock, random: ports.random, logger },
  };
  const serve = (mostConnections: number, isWelcome: (caller: Caller) => boolean): ControlServer =>
    createControlServer({
      mostConnections,
      dispatcher,
      authenticator: onlyFor(authenticator, isWelcome),
      sessions,
      enter,
      clock,
      logger,
      serveMcp: (socket, caller, toolsets) => serveMcp(mcp, socket, caller, toolsets),
    });
  // INVARIANT: 7 each socket takes its own credential: a task's token is nothing here, and the host's is nothing there.
  const control = serve(MOST_CONNECTIONS, (caller) => caller.kind === 'host');
  const http = createHttpServer({
    dispatcher,
    authenticator: onlyFor(authenticator, (caller) => caller.kind === 'host'),
    sessions,
    enter,
    clock,
    logger,
    mcp: createMcpHttp(mcp),
  });
  const doors = new Set<ControlServer>();
  return {
    engine,
    registry,
    listenControl: (path) => control.listen(path),
    listenHttp: (address) => http.listen(address),
    async listenTask(task, path) {
      const door = serve(MOST_OF_TASK, (caller) => caller.kind === 'task' && caller.task === task);
      doors.add(door);
      try {
        await door.listen(path);
      } catch (error) {
        doors.delete(door);
        throw error;
      }
      return async () => {
        await door.close();
        doors.delete(door);
      };
    },
    async close() {
      await Promise.all([control, http, ...doors, upstreams].map((server) => server.close()));
    },
  };
}

/** What proves somebody else is, to this socket, no proof at all: the same as garbage. */
function onlyFor(authenticator: Authenticator, isWelcome: (caller: Caller) => boolean): Authenticator {
  return {
    authenticate(token) {
      const caller = authenticator.authenticate(token);
      return caller !== undefined && isWelcome(caller) ? caller : undefined;
    },
  };
}
