import { approverContract } from '../contract/approvers.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement } from '../implement.ts';
import { requireName } from './peer-lookup.ts';

/** Who answers on this node; for a person. */
export function approverOperations({ gate, person, engine }: GatewayPorts): readonly AnyOperation[] {
  return [
    implement(approverContract.approver_list, () => ({
      mode: engine.snapshot().config.approvals.mode,
      needed: person.hasApprover(),
      approvers: gate.approvers.list().map(({ id, label, kind, enrolledAtMs }) => ({
        id,
        label,
        kind,
        enrolled_at_ms: enrolledAtMs,
      })),
    })),
    implement(approverContract.approver_enroll, ({ id, public_key: publicKey, label: name }) => {
      const label = requireName('label', name);
      person.enroll({ id, kind: 'passphrase', publicKey, label });
      return { id, label };
    }),
  ];
}
