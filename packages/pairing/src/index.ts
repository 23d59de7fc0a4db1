export type { PeerConsent, PeerQuestion } from './consent.ts';
export { createPairing } from './create-pairing.ts';
export type { PairingOptions } from './options.ts';
export type {
  ConfigFile,
  Invite,
  InviteEvent,
  InviteOffer,
  JoinEvent,
  Pairing,
  PeerEdits,
  RedeemClientMessage,
  RedeemServerMessage,
  RedeemTransport,
} from './types.ts';
