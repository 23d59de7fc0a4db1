import { readFileSync } from 'node:fs';
import { type ControlClient, createControlClient } from '@writ/gateway/client';
import type { LocalNode } from '../local-mesh/local-node.ts';

/** An agent of a node in a session of its own; what it asks for belongs to that session. */
export async function startSession(node: LocalNode, agent: string): Promise<ControlClient> {
  const { credential } = await node.client().call('session_start', { agent });
  const token = readFileSync(node.home.tokenFile, 'utf8').trim();
  return createControlClient({ socketPath: node.home.socketFile, token, session: credential });
}
