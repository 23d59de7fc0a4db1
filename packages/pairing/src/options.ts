import type { Authority } from '@writ/authority';
import type { Clock, Logger, Random } from '@writ/core';
import type { Database } from '@writ/database';
import type { NodeIdentity, PinStore } from '@writ/identity';
import type { InviteStore, PeerIntentStore } from '@writ/lease-store';
import type { PolicyEngine } from '@writ/policy';
import type { PeerConsent } from './consent.ts';
import type { ConfigFile, PeerEdits, RedeemTransport } from './types.ts';

/** What pairing is built from. */
export interface PairingOptions {
  readonly identity: NodeIdentity;
  readonly pins: PinStore;
  readonly invites: InviteStore;
  readonly intents: PeerIntentStore;
  readonly database: Database;
  readonly authority: Pick<Authority, 'grantLeaseIn' | 'endLeasesOf'>;
  readonly engine: Pick<PolicyEngine, 'snapshot'>;
  readonly config: Pick<ConfigFile, 'ready' | 'edit' | 'takeAway'>;
  /** Asked before a peer is stored. */
  readonly consent: PeerConsent;
  /** Ends everything that runs for a peer, here and there; resolves when it has ended or the ending is on its way. */
  readonly endWork: (peerId: string) => Promise<void>;
  readonly edits: PeerEdits;
  readonly transport: RedeemTransport;
  /** This node's name, told to the other end as a label. */
  readonly nodeName: string;
  /** `host:port` under which this node can be reached now; undefined: it only dials out. */
  readonly address: () => string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What makes and unmakes a peer. */
export type PeerParts = Pick<
  PairingOptions,
  'identity' | 'pins' | 'database' | 'intents' | 'authority' | 'engine' | 'config' | 'edits' | 'endWork' | 'logger'
>;
