export {
  createPeerLink,
  type EventFault,
  type LinkCall,
  type LinkFault,
  type PeerLink,
} from './peer-link.ts';
export type { ScriptedPreparation, ScriptedPreparations } from './scripted-preparations.ts';
export { createScriptedRunner, type ScriptedRun, type ScriptedRunner } from './scripted-runner.ts';
export { createPeerServer, createTestNode, NODE_IDS, type TestNode, type TestNodeOptions } from './test-node.ts';
