import type { Clock } from '@writ/core';
import { type PinStore, verifyPeerCertificate } from '@writ/identity';
import type { PeerConfig, PolicyEngine } from '@writ/policy';

/** Answers whom a certificate proves and what that peer is here, under the snapshot and the pins of this moment. */
export interface PeerIndex {
  /** Node id that the leaf of a connection proves; undefined: nobody that is pinned. */
  identify(leafDer: Uint8Array): string | undefined;
  /** The peer of the current snapshot, also a disabled one. */
  peer(id: string): PeerConfig | undefined;
  /** Pinned, configured and enabled. */
  isTrusted(id: string): boolean;
  /** Stops following the pins. */
  stop(): void;
}

/** How long a checked certificate is taken for checked, milliseconds: the skew that its validity allows anyway. */
const RECHECK_MS = 60_000;
/** Remembers checked certificates, good and bad, for a minute, by connection, and only until any pin changes. */
export function createPeerIndex(deps: {
  readonly pins: PinStore;
  readonly engine: Pick<PolicyEngine, 'snapshot'>;
  readonly clock: Clock;
}): PeerIndex {
  const { pins, engine, clock } = deps;
  let checked = new WeakMap<Uint8Array, { readonly id: string | undefined; readonly untilMs: number }>();

  const stop = pins.onChange(() => {
    checked = new WeakMap();
  });

  const peer = (id: string): PeerConfig | undefined => engine.snapshot().peer(id);

  return {
    identify(leafDer) {
      const known = checked.get(leafDer);
      if (known !== undefined && known.untilMs > clock.monotonicMs()) return known.id;
      const proof = verifyPeerCertificate({ leafDer, pins, nowMs: clock.nowMs() });
      const id = proof.verified ? proof.id : undefined;
      checked.set(leafDer, { id, untilMs: clock.monotonicMs() + RECHECK_MS });
      return id;
    },
    peer,
    isTrusted: (id) => pins.get(id) !== undefined && peer(id)?.enabled === true,
    stop,
  };
}
