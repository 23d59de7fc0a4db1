import {
  createInviteStore,
  createLeaseStore,
  createNodeFactStore,
  createRequestLogStore,
  createSessionStore,
  createTokenStore,
} from '@writ/lease-store';
import { createMirrorStore, createResultStore, createTaskStore } from '@writ/task-store';

/** Every store of a node. They hold nothing: each call works inside the transaction that it is given. */
export function createStores() {
  return {
    facts: createNodeFactStore(),
    invites: createInviteStore(),
    leases: createLeaseStore(),
    mirrors: createMirrorStore(),
    requestLog: createRequestLogStore(),
    results: createResultStore(),
    sessions: createSessionStore(),
    tasks: createTaskStore(),
    tokens: createTokenStore(),
  };
}

export type Stores = ReturnType<typeof createStores>;
