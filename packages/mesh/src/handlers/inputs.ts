import { isWritError, WritError } from '@writ/core';
import type { Executor, ShippedBundle } from '@writ/delegation';
import type {
  DescribeWorkspaceRequest,
  DescribeWorkspaceResponse,
  UploadInputRequest,
  UploadInputResponse,
} from '@writ/wire';
import { commitsToWire, inputDataFromWire } from '../convert/input.ts';
import type { OwnWorkspaceHandler, OwnWorkspaceIntake } from '../server/own-workspace.ts';
import { callingPeer } from './handler-deps.ts';

/** The handlers for working trees that a peer sends along, over the workspaces that it may use. */
export interface InputHandlers {
  readonly describeWorkspace: OwnWorkspaceHandler<DescribeWorkspaceRequest, DescribeWorkspaceResponse>;
  readonly uploadInput: OwnWorkspaceIntake<ShippedBundle, UploadInputRequest, UploadInputResponse>;
}

/** How much one peer may send is the executor's matter; that it is what was announced is checked here too. */
export function createInputHandlers(executor: Pick<Executor, 'workspaceCommits' | 'takeInput'>): InputHandlers {
  return {
    describeWorkspace: async (workspace) => commitsToWire(await executor.workspaceCommits(workspace)),

    async uploadInput(workspace, head, rest, context) {
      const input = { workspace, sha256: head.sha256, bytes: head.bytes };
      try {
        await executor.takeInput(callingPeer(context), input, inputDataFromWire(rest, input.bytes));
      } catch (error) {
        if (!isWritError(error, 'EVIDENCE_INVALID')) throw error;
        // In words of our own: those of the executor may name what is on this machine.
        throw new WritError('BAD_REQUEST', 'data: is not what was announced', { cause: error });
      }
      return {};
    },
  };
}
