import { type Clock, toWritError } from '@writ/core';
import type { PeerConfig } from '@writ/policy';
import type { OperationOutput } from '../client/types.ts';
import type { PeerDescription, PeerLinks, RemoteDescribe } from '../ports.ts';

type Reach = OperationOutput<'ping_peer'>;

/** What asking a peer needs. */
export interface ReachPorts {
  readonly links: PeerLinks;
  readonly describe: RemoteDescribe;
  readonly clock: Clock;
}

/** What a peer says of itself, or why it says nothing. */
export type Described =
  | { readonly reachable: true; readonly description: PeerDescription; readonly roundTripMs: number }
  | { readonly reachable: false; readonly message: string; readonly nextSteps: readonly string[] };

/** Asks a peer what it offers; that it does not answer is an answer. */
export async function askPeerItself(
  { links, describe, clock }: ReachPorts,
  { id, label, enabled }: PeerConfig,
  signal: AbortSignal,
): Promise<Described> {
  if (!enabled) {
    return away(`${label} is disabled on this node`, `a person sets peers.${label}.enabled in writ.toml and reloads`);
  }
  if (links.state(id) === 'none') {
    return away(
      `this node has no address of ${label}: it can ask here, and cannot be asked`,
      `a person sets peers.${label}.address in writ.toml where it has one`,
    );
  }
  const startedAtMs = clock.monotonicMs();
  try {
    const description = await describe.describe(id, signal);
    return { reachable: true, description, roundTripMs: Math.round((clock.monotonicMs() - startedAtMs) * 100) / 100 };
  } catch (error) {
    if (signal.aborted) throw error;
    const { message, nextSteps } = toWritError(error);
    const steps = nextSteps.length > 0 ? nextSteps : [`see that the node runs there: writ status on ${label}`];
    return { reachable: false, message, nextSteps: steps };
  }
}

function away(message: string, nextStep: string): Described {
  return { reachable: false, message, nextSteps: [nextStep] };
}

/** The same for whoever only wants to know whether it answers. */
export async function reach(ports: ReachPorts, peer: PeerConfig, signal: AbortSignal): Promise<Reach> {
  const answer = await askPeerItself(ports, peer, signal);
  const head = { peer: peer.label, link: ports.links.state(peer.id), reachable: answer.reachable };
  if (!answer.reachable) return { ...head, message: answer.message, next_steps: [...answer.nextSteps] };
  return { ...head, round_trip_ms: answer.roundTripMs, message: `${peer.label} answers`, next_steps: [] };
}
