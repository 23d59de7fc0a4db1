export { startAgent, startHttpAgent, type TestAgent } from './agent.ts';
export { executingConfig } from './executing-config.ts';
export { type LinkProxy, openLinkProxy } from './link-proxy.ts';
export { hostTokenOf, type MeshNode } from './mesh-node.ts';
export { pairNodes } from './pairing.ts';
export { createPerson, enrollPerson, type TestPerson } from './person.ts';
export { processesOf, processesWith, withDescendants } from './process-table.ts';
export { jsonLines, type ProgramResult, startProgram, WRIT_PROGRAM } from './program.ts';
export { callRaw, MESH_METHODS } from './raw-mesh.ts';
export { gitIn, makeRepository } from './repository.ts';
export { doorOf, HOLD, type TaskDoor, TELL_DOOR } from './task-door.ts';
export { ask, type FollowedTask, follow, run, submit, type TaskEvent, untilFinished, untilOutput } from './tasks.ts';
export {
  createTestMesh,
  freePort,
  furnishMesh,
  startThreeNodes,
  type TestMesh,
  type ThreeNodes,
  upWithHttp,
} from './test-mesh.ts';
export { PATIENCE_MS, until, within } from './waiting.ts';
