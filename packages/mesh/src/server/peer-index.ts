import type { Clock } from '@writ/core';
import { type PinStore, verifyPeerCertificate } from '@writ/identity';
import type { PeerConfig, PolicyEngine, Snapshot } from '@writ/policy';

/** Answers whom a certificate proves and what that peer is here, under the snapshot and the pins of this moment. */
export interface PeerIndex {
  /** Node id that the leaf proves; undefined: nobody that is pinned. */
  identify(leafDer: Uint8Array): string | undefined;
  /** The peer of the current snapshot, also a disabled one. */
  peer(id: string): PeerConfig | undefined;
  /** Pinned, configured and enabled. */
  isTrusted(id: string): boolean;
}

/** How long a checked certificate is taken for checked, milliseconds: the skew that its validity allows anyway. */
const RECHECK_MS = 60_000;
/** Certificates that are remembered. */
const REMEMBERED = 1024;

/** Remembers checked certificates for a minute, and only as long as the very pin that they were checked against stays. */
export function createPeerIndex(deps: {
  readonly pins: PinStore;
  readonly engine: Pick<PolicyEngine, 'snapshot'>;
  readonly clock: Clock;
}): PeerIndex {
  const { pins, engine, clock } = deps;
  const checked = new Map<string, { readonly id: string; readonly pin: unknown; readonly untilMs: number }>();
  let indexed: { readonly snapshot: Snapshot; readonly byId: ReadonlyMap<string, PeerConfig> } | undefined;

  function peer(id: string): PeerConfig | undefined {
    const snapshot = engine.snapshot();
    if (indexed?.snapshot !== snapshot) {
      indexed = { snapshot, byId: new Map([...snapshot.config.peers.values()].map((one) => [one.id, one])) };
    }
    return indexed.byId.get(id);
  }

  return {
    identify(leafDer) {
      const key = Buffer.from(leafDer).toString('base64');
      const known = checked.get(key);
      if (known !== undefined && known.untilMs > clock.monotonicMs() && pins.get(known.id) === known.pin) {
        return known.id;
      }
      checked.delete(key);
      const proof = verifyPeerCertificate({ leafDer, pins, nowMs: clock.nowMs() });
      if (!proof.verified) return undefined;
      if (checked.size >= REMEMBERED) checked.clear();
      checked.set(key, { id: proof.id, pin: pins.get(proof.id), untilMs: clock.monotonicMs() + RECHECK_MS });
      return proof.id;
    },
    peer,
    isTrusted: (id) => pins.get(id) !== undefined && peer(id)?.enabled === true,
  };
}
