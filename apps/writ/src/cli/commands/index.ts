import type { Definitions } from '../program.ts';
import { defineApproval } from './approval.ts';
import { defineApprover } from './approver.ts';
import { defineAudit } from './audit.ts';
import { defineConfig } from './config.ts';
import { defineDelegate } from './delegate.ts';
import { defineEvents } from './events.ts';
import { defineEvidence } from './evidence.ts';
import { defineExecution } from './execution.ts';
import { defineInit } from './init.ts';
import { defineLease } from './lease.ts';
import { defineMcp } from './mcp.ts';
import { defineMesh } from './mesh.ts';
import { defineNode } from './node.ts';
import { definePeer } from './peer.ts';
import { definePolicy } from './policy.ts';
import { defineProfile } from './profile.ts';
import { defineRun } from './run.ts';
import { defineRunner } from './runner.ts';
import { defineService } from './service.ts';
import { defineSession } from './session.ts';
import { defineTask } from './task.ts';
import { defineWindow } from './window.ts';

/** Every command of `writ`, in the order of the help. */
export function defineCommands(definitions: Definitions): void {
  defineInit(definitions);
  defineNode(definitions);
  definePeer(definitions);
  defineLease(definitions);
  defineDelegate(definitions);
  defineTask(definitions);
  defineRun(definitions);
  defineExecution(definitions);
  defineEvidence(definitions);
  defineEvents(definitions);
  defineAudit(definitions);
  definePolicy(definitions);
  defineProfile(definitions);
  defineRunner(definitions);
  defineConfig(definitions);
  defineMcp(definitions);
  defineService(definitions);
  defineMesh(definitions);
  defineApprover(definitions);
  defineApproval(definitions);
  defineWindow(definitions);
  defineSession(definitions);
}
