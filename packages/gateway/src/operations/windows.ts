import { windowContract } from '../contract/windows.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement } from '../implement.ts';

/** What runs without asking; for a person. */
export function windowOperations({ gate }: GatewayPorts): readonly AnyOperation[] {
  return [
    implement(windowContract.window_list, () => ({
      windows: gate.windows.list({}).map((window) => ({
        id: window.id,
        kind: window.kind,
        origin: window.origin,
        session: window.session,
        agent: window.agent,
        ...(window.target === undefined ? {} : { target: window.target }),
        profile: window.profile,
        ...(window.steps === undefined ? {} : { steps: window.steps.length }),
        approval: window.approval,
        opened_at_ms: window.openedAtMs,
        expires_at_ms: window.expiresAtMs,
        uses: window.uses,
        ...(window.maxUses === undefined ? {} : { max_uses: window.maxUses }),
      })),
    })),
    implement(windowContract.window_close, ({ window }) => ({ window, closed: gate.windows.close(window, 'person') })),
  ];
}
