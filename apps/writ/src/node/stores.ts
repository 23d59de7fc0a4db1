import {
  createApprovalStore,
  createApproverStore,
  createExecutionStore,
  createInviteStore,
  createLeaseStore,
  createNodeFactStore,
  createPeerIntentStore,
  createRequestLogStore,
  createSentCommandStore,
  createSessionStore,
  createTokenStore,
  createWindowStore,
} from '@writ/lease-store';
import {
  createLeftoverStore,
  createMirrorStore,
  createQuestionStore,
  createRemovalStore,
  createResultStore,
  createTaskStore,
} from '@writ/task-store';

/** Every store of a node. They hold nothing: each call works inside the transaction that it is given. */
export function createStores() {
  const facts = createNodeFactStore();
  return {
    approvals: createApprovalStore(),
    approvers: createApproverStore(),
    executions: createExecutionStore(),
    facts,
    intents: createPeerIntentStore(facts),
    invites: createInviteStore(),
    leases: createLeaseStore(),
    leftovers: createLeftoverStore(),
    mirrors: createMirrorStore(),
    questions: createQuestionStore(),
    requestLog: createRequestLogStore(),
    removals: createRemovalStore(),
    results: createResultStore(),
    sentCommands: createSentCommandStore(),
    sessions: createSessionStore(),
    tasks: createTaskStore(),
    tokens: createTokenStore(),
    windows: createWindowStore(),
  };
}

export type Stores = ReturnType<typeof createStores>;
