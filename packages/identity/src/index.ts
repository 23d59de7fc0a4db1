export { createApproverKey, type NewApproverKey, type UnlockedApprover, unlockApproverKey } from './approver-key.ts';
export { widenedField } from './attenuation.ts';
export { TLS_SERVER_NAME } from './certificate-kinds.ts';
export { isApproverKey, verifyDecision } from './decision-signature.ts';
export { createIdentity, type IdentityOptions, loadIdentity, readPublicIdentity } from './identity.ts';
export { certificateDer, type IdentityCertificate, readIdentityCertificate } from './identity-certificate.ts';
export {
  decodeInviteCode,
  encodeInviteCode,
  INVITE_SECRET_BYTES,
  type InviteCode,
  isMeshAddress,
} from './invite-code.ts';
export type { LeafRefusal, LeafRefusalReason } from './leaf-certificate.ts';
export { nodeIdOf } from './node-id.ts';
export { type NodeSignatureCheck, verifyNodeSignature } from './node-signature.ts';
export {
  isSameMac,
  PAIRING_NONCE_BYTES,
  type PairingParty,
  type PairingTranscript,
  pairingKey,
  pairingMac,
} from './pairing-proof.ts';
export { type PassphraseCost, USUAL_COST } from './passphrase-box.ts';
export { type PeerCertificateCheck, type PinLookup, verifyPeerCertificate } from './peer-certificate.ts';
export { createPinStore } from './pin-store.ts';
export { rotateWhenDue } from './rotation.ts';
export { identityWords, shortWords } from './short-words.ts';
export { createSignerCache } from './signer.ts';
export type {
  ChainCheck,
  ExtensionClaims,
  Hop,
  NodeIdentity,
  Pin,
  PinStore,
  PublicIdentity,
  SignerCache,
  TlsMaterial,
  VerifiedChain,
  WritClaims,
  WritGrant,
} from './types.ts';
export { verifyChain } from './writ-chain.ts';
export { extendWrit, extensionsOf, LONGEST_LIFE_S, withExtensions } from './writ-extension.ts';
export { issueWrit, writDigest } from './writ-issue.ts';
export { chainIssuedAt, readWritClaims } from './writ-read.ts';
