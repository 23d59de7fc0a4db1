export { gitIn, makeRepository } from '../mesh/repository.ts';
export { asksBeta, askTrue, servesAlpha, submitTrue } from './pair.ts';
export {
  type ChunkFault,
  createPeerLink,
  type EventFault,
  type LinkCall,
  type LinkFault,
  type PeerLink,
} from './peer-link.ts';
export { createPeerServer } from './peer-server.ts';
export type { ScriptedPreparation, ScriptedPreparations } from './scripted-preparations.ts';
export { createScriptedRunner, type ScriptedEnd, type ScriptedRun, type ScriptedRunner } from './scripted-runner.ts';
export { NODE_IDS, openTestIdentity, pinOf } from './test-identities.ts';
export { createTestIssuer, type TestGrant } from './test-issuer.ts';
export { createTestNode, type TestNode, type TestNodeOptions } from './test-node.ts';
