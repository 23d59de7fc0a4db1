import type { PolicyEngine } from '@writ/policy';
import { createDispatcher } from './dispatch.ts';
import type { GatewayPorts } from './gateway-ports.ts';
import { serveMcp } from './mcp/mcp-connection.ts';
import { createOperations } from './operations/index.ts';
import { createRegistry, type Registry } from './registry.ts';
import { createControlServer } from './server/control-server.ts';

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
  /** Ends every connection and the socket; resolves when none is left. */
  close(): Promise<void>;
}

/** Builds the gateway of one node; nothing listens before `listenControl`. */
export function createGateway(ports: GatewayPorts): Gateway {
  const { engine, authenticator, clock, logger, sessions, node } = ports;
  const registry = createRegistry(createOperations(ports));
  const dispatcher = createDispatcher(registry, ports.scope);
  const mcp = { registry, dispatcher, sessions, node, logger };
  const control = createControlServer({
    dispatcher,
    authenticator,
    clock,
    logger,
    serveMcp: (socket, caller) => serveMcp(mcp, socket, caller),
  });
  return {
    engine,
    registry,
    listenControl: (path) => control.listen(path),
    close: () => control.close(),
  };
}
