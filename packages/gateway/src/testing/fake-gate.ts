import type { GatewayPorts } from '../gateway-ports.ts';
import type { Approval } from '../ports.ts';
import { partial } from './fake-core.ts';

/** A question that waits at the fake node. */
export const FAKE_APPROVAL: Approval = {
  ...{ id: 'a-1', kind: 'lease', origin: 'wn-alpha', session: 's', agent: 'agent', requestedBy: 'self' },
  ...{ digest: 'd', preview: 'asked by: me (a-b)\nlend profile: repo-dev', subject: {}, scopes: ['once'] },
  ...{ generation: 7, state: 'pending', createdAtMs: 1, expiresAtMs: 9_999_999_999_999, version: 1 },
};

/** A gate with one question and nobody enrolled. */
export function fakeGate(): Pick<GatewayPorts, 'gate' | 'person'> {
  return {
    gate: {
      approvals: partial<GatewayPorts['gate']['approvals']>({
        get: (id) => (id === FAKE_APPROVAL.id ? FAKE_APPROVAL : undefined),
        list: () => [FAKE_APPROVAL],
        statement: (id, { answer, scope }) => {
          if (id !== FAKE_APPROVAL.id) return undefined;
          const { kind, digest, expiresAtMs } = FAKE_APPROVAL;
          const said = { node: 'wn-alpha', approval: id, kind, digest, preview: 'p', answer, expiresAtMs };
          return scope === undefined ? said : { ...said, scope };
        },
        decide: () => ({
          ...{ decided: false, check: 'pending', decidedBy: 'ap-1' },
          refusal: { code: 'NOT_PENDING', message: 'it is approved already by ap-1', nextSteps: [] },
        }),
      }),
      approvers: partial<GatewayPorts['gate']['approvers']>({ list: () => [] }),
      windows: partial<GatewayPorts['gate']['windows']>({ list: () => [], close: () => true }),
      events: { add: () => () => {} },
      acceptClock: () => 0,
    },
    person: {
      hasApprover: () => false,
      enroll: () => {},
      ask: () => FAKE_APPROVAL,
      isInForce: async () => false,
      giveTicket: (id) => `ticket of ${id}`,
      withdraw: (id, ticket) => ticket === `ticket of ${id}`,
    },
  };
}
