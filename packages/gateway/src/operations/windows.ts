import type { OperationOutput } from '../client/types.ts';
import { windowContract } from '../contract/windows.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement } from '../implement.ts';
import type { Caller } from '../types.ts';

/** What runs without asking; for a person, and for an agent what runs in its own piece of work. */
export function windowOperations({ gate }: GatewayPorts): readonly AnyOperation[] {
  return [
    implement(windowContract.window_list, () => ({
      windows: gate.windows.list({}).map(({ origin, session, agent, ...window }) => ({
        ...viewWindow(window),
        ...{ origin, session, agent },
      })),
    })),
    implement(windowContract.list_windows, (_, { caller }) => ({ windows: windowsOf(gate, caller).map(viewWindow) })),
    implement(windowContract.window_close, ({ window }) => ({ window, closed: gate.windows.close(window, 'person') })),
  ];
}

/**
 * INVARIANT: 7 an agent sees the windows of its session and of no other; a task those that an answer to it opened, since
 * what else runs in its session is none of its own.
 */
function windowsOf(
  { windows, approvals }: GatewayPorts['gate'],
  caller: Caller,
): ReturnType<GatewayPorts['gate']['windows']['list']> {
  const { session } = caller;
  if (session === undefined) return [];
  if (caller.kind === 'task') {
    return windows.list({}).filter(({ approval }) => approvals.get(approval)?.task === caller.task);
  }
  const { origin, id, agent } = session;
  return windows.list({ key: { origin, session: id } }).filter((window) => window.agent === agent);
}

type Window = ReturnType<GatewayPorts['gate']['windows']['list']>[number];

function viewWindow(
  window: Omit<Window, 'origin' | 'session' | 'agent'>,
): OperationOutput<'list_windows'>['windows'][number] {
  return {
    ...{ id: window.id, kind: window.kind, profile: window.profile, approval: window.approval, uses: window.uses },
    ...(window.workspace === undefined ? {} : { workspace: window.workspace }),
    ...(window.target === undefined ? {} : { target: window.target }),
    ...(window.steps === undefined ? {} : { steps: window.steps.length }),
    opened_at_ms: window.openedAtMs,
    expires_at_ms: window.expiresAtMs,
    ...(window.maxUses === undefined ? {} : { max_uses: window.maxUses }),
  };
}
