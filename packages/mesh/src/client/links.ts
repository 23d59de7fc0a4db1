import { setMaxListeners } from 'node:events';
import { type Client, connectivityState } from '@grpc/grpc-js';
import { type Clock, type Logger, quote, type Tracing, WritError } from '@writ/core';
import type { NodeIdentity, Pin, PinStore } from '@writ/identity';
import type { PolicyEngine } from '@writ/policy';
import { traceSentCalls } from '../trace-calls.ts';
import { openChannel } from './channel.ts';
import { unreachable } from './failure.ts';

/** How long the open channel of a former peer is kept to tell it what it shall end, milliseconds. */
const FAREWELL_MS = 5000;

/** The one channel to a peer. */
export interface Link {
  readonly id: string;
  readonly label: string;
  readonly address: string;
  readonly client: Client;
  /** Aborted with TRUST_REVOKED when the peer is one no more, with CANCELLED when this node closes. */
  readonly signal: AbortSignal;
}

/** State of the link to a peer, for a person. */
export interface LinkStatus {
  readonly id: string;
  readonly label: string;
  readonly address?: string;
  /** `idle`: nothing was asked of it yet, or not for long. */
  readonly state: 'up' | 'down' | 'connecting' | 'idle' | 'no-address';
  /** Why the last call failed; absent after one that got an answer. */
  readonly lastError?: { readonly atMs: number; readonly code: string; readonly message: string };
}

/** The channels to the peers of the current snapshot. */
export interface Links {
  /** Throws PEER_UNKNOWN, PEER_DISABLED, or UNREACHABLE where the peer has no address. */
  use(id: string): Link;
  /**
   * The open channel of a node that was a peer until a moment ago, for nothing but telling it to end what runs there for
   * this node; undefined where it was not connected, or where its time is over.
   */
  farewell(id: string): Link | undefined;
  /** Notes what became of a call. */
  note(id: string, error: WritError | undefined): void;
  status(): readonly LinkStatus[];
  close(): void;
}

interface Entry extends Link {
  readonly pin: Pin;
  readonly controller: AbortController;
}

const STATES: Readonly<Record<connectivityState, LinkStatus['state']>> = {
  [connectivityState.IDLE]: 'idle',
  [connectivityState.CONNECTING]: 'connecting',
  [connectivityState.READY]: 'up',
  [connectivityState.TRANSIENT_FAILURE]: 'down',
  [connectivityState.SHUTDOWN]: 'idle',
};

/**
 * One warm channel a peer, opened at the first use. It is replaced when this node's keys, the peer's pin or its address
 * change (calls under way finish on the old one). When the peer loses its trust, every call on it ends, and it is kept for
 * a farewell only.
 */
export function createLinks(deps: {
  readonly identity: NodeIdentity;
  readonly pins: PinStore;
  readonly engine: Pick<PolicyEngine, 'snapshot' | 'onChange'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tracing?: Tracing | undefined;
}): Links {
  const { identity, pins, engine, clock, logger } = deps;
  const entries = new Map<string, Entry>();
  const farewells = createFarewells(clock);
  const errors = new Map<string, NonNullable<LinkStatus['lastError']>>();

  function replace(entry: Entry): void {
    entries.delete(entry.id);
    entry.client.close();
  }

  function review(): void {
    for (const entry of [...entries.values()]) {
      const peer = engine.snapshot().peer(entry.id);
      const pin = pins.get(entry.id);
      if (peer === undefined || pin === undefined || !peer.enabled) {
        logger.info('link to peer dropped', { peer: entry.label, id: entry.id });
        entry.controller.abort(
          new WritError('TRUST_REVOKED', `${quote(entry.label)} is no enabled peer of this node any more`),
        );
        entries.delete(entry.id);
        farewells.begin(entry);
      } else if (pin !== entry.pin || peer.address !== entry.address || peer.label !== entry.label) {
        replace(entry);
      }
    }
  }

  const followers = [
    engine.onChange(review),
    pins.onChange(review),
    identity.onRotate(() => [...entries.values()].forEach(replace)),
  ];

  return {
    use(id) {
      const known = entries.get(id);
      if (known !== undefined) return known;
      const entry = openEntry(deps, id);
      entries.set(id, entry);
      return entry;
    },
    farewell: (id) => (pins.get(id) && engine.snapshot().peer(id)?.enabled ? undefined : farewells.find(id)),
    note(id, error) {
      if (error === undefined) errors.delete(id);
      else errors.set(id, { atMs: clock.nowMs(), code: error.code, message: error.message });
    },
    status: () =>
      [...engine.snapshot().config.peers.values()].map(({ id, label, address }) => {
        const state = entries.get(id)?.client.getChannel().getConnectivityState(false);
        const lastError = errors.get(id);
        return {
          id,
          label,
          ...(address === undefined ? {} : { address }),
          state: address === undefined ? 'no-address' : STATES[state ?? connectivityState.IDLE],
          ...(lastError === undefined ? {} : { lastError }),
        };
      }),
    close() {
      for (const stop of followers) stop();
      for (const entry of [...entries.values()]) {
        entry.controller.abort(new WritError('CANCELLED', 'this node is shutting down'));
        replace(entry);
      }
      farewells.close();
    },
  };
}

/** Channels of former peers. INVARIANT: 2 nothing is dialled for them, and no call of before goes on. */
function createFarewells(clock: Pick<Clock, 'setTimer'>) {
  const open = new Map<string, { readonly link: Link; readonly end: () => void }>();
  return {
    begin({ id, label, address, client }: Link): void {
      open.get(id)?.end();
      if (!isConnected(client)) {
        client.close();
        return;
      }
      const over = new AbortController();
      setMaxListeners(0, over.signal);
      const end = (): void => {
        disarm();
        open.delete(id);
        over.abort(new WritError('TRUST_REVOKED', `${quote(label)} is no enabled peer of this node any more`));
        client.close();
      };
      const disarm = clock.setTimer(FAREWELL_MS, end);
      open.set(id, { link: { id, label, address, client, signal: over.signal }, end });
    },
    find(id: string): Link | undefined {
      const link = open.get(id)?.link;
      return link && isConnected(link.client) ? link : undefined;
    },
    close(): void {
      for (const { end } of [...open.values()]) end();
    },
  };
}

function isConnected(client: Client): boolean {
  return client.getChannel().getConnectivityState(false) === connectivityState.READY;
}

function openEntry(deps: Parameters<typeof createLinks>[0], id: string): Entry {
  const peer = deps.engine.snapshot().peer(id);
  const pin = deps.pins.get(id);
  if (peer === undefined || pin === undefined) {
    throw new WritError('PEER_UNKNOWN', `${quote(id)} is no peer of this node`, { nextSteps: ['writ peer list'] });
  }
  const { label, address, enabled } = peer;
  if (!enabled) throw new WritError('PEER_DISABLED', `${quote(label)} is disabled`, { details: { peer: label } });
  if (address === undefined) {
    throw unreachable({ label, address: '' }, `no address is configured, so only ${quote(label)} can dial`, {
      sent: false,
    });
  }
  const controller = new AbortController();
  // Every call of the link listens, and there may be hundreds.
  setMaxListeners(0, controller.signal);
  const client = openChannel(deps.identity, pin, address, {
    clock: deps.clock,
    interceptors: deps.tracing === undefined ? [] : [traceSentCalls(deps.tracing, id)],
  });
  return { id, label, address, client, pin, controller, signal: controller.signal };
}
