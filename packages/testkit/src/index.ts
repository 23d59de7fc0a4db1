export { createFakeClock, type FakeClock } from './clock.ts';
export {
  createPeerLink,
  createPeerServer,
  createScriptedRunner,
  createTestNode,
  type EventFault,
  type LinkCall,
  type LinkFault,
  NODE_IDS,
  type PeerLink,
  type ScriptedRun,
  type ScriptedRunner,
  type TestNode,
  type TestNodeOptions,
} from './delegation/index.ts';
