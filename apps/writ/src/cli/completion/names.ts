import { foldName } from '@writ/core';
import type { ControlClient } from '@writ/gateway/client';
import type { Candidate, NamedKind } from './types.ts';

/** How many tasks, commands and questions are offered. */
const MOST = 50;

interface Asking {
  readonly node: ControlClient;
  readonly signal: AbortSignal;
  /** Whose profiles and workspaces count; absent: this node's own. */
  readonly peer: string | undefined;
}

/** Names that the running node has of a kind. Throws what the node answers. */
export function namesOf(kind: NamedKind, asking: Asking): Promise<readonly Candidate[]> {
  return LISTS[kind](asking);
}

type List = (asking: Asking) => Promise<readonly Candidate[]>;

const LISTS: Readonly<Record<NamedKind, List>> = {
  peer: async ({ node, signal }) => {
    const { peers } = await node.call('peer_list', {}, { signal });
    return [...peers.map(({ label, link }) => ({ word: label, says: link })), { word: 'self', says: 'this node' }];
  },
  profile: (asking) => offered(asking, 'profiles'),
  workspace: (asking) => offered(asking, 'workspaces'),
  task: async ({ node, signal }) => {
    const { tasks } = await node.call('list_tasks', { limit: MOST }, { signal });
    return tasks.map(({ task, state, work }) => ({ word: task, says: `${state} ${work}` }));
  },
  execution: async ({ node, signal }) => {
    const { executions } = await node.call('list_executions', { limit: MOST }, { signal });
    return executions.map(({ execution, state, work }) => ({ word: execution, says: `${state} ${work}` }));
  },
  lease: async ({ node, signal }) => {
    const { leases } = await node.call('lease_list', { all: false }, { signal });
    return leases.map(({ id, peer, profile }) => ({ word: id, says: `${profile} for ${peer}` }));
  },
  approval: async ({ node, signal }) => {
    const { approvals } = await node.call('approval_list', { limit: MOST }, { signal });
    return approvals.map(({ id, kind, about }) => ({ word: id, says: `${kind} ${about}` }));
  },
  window: async ({ node, signal }) => {
    const { windows } = await node.call('window_list', {}, { signal });
    return windows.map(({ id, kind, agent }) => ({ word: id, says: `${kind} for ${agent}` }));
  },
  session: async ({ node, signal }) => {
    const { sessions } = await node.call('session_list', {}, { signal });
    return sessions.map(({ session, agent }) => ({ word: session, says: agent }));
  },
  approver: async ({ node, signal }) => {
    const { approvers } = await node.call('approver_list', {}, { signal });
    return approvers.map(({ id, label }) => ({ word: id, says: label }));
  },
};

async function offered({ node, signal, peer }: Asking, what: 'profiles' | 'workspaces'): Promise<readonly Candidate[]> {
  if (peer === undefined || foldName(peer) === 'self') {
    const own = await node.call('whoami', {}, { signal });
    return own[what].map((word) => ({ word, says: '' }));
  }
  const { peers } = await node.call('peer_list', {}, { signal });
  const found = peers.find(({ label }) => label === foldName(peer));
  const names = what === 'profiles' ? found?.outbound_profiles : found?.outbound_workspaces;
  return (names ?? []).map((word) => ({ word, says: '' }));
}
