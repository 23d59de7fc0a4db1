import type { Gate } from '@writ/authority';
import { shellWord } from '@writ/core';
import type { OperationOutput } from '../client/types.ts';
import type { LabelOf } from './task-view.ts';

type Approval = NonNullable<ReturnType<Gate['approvals']['get']>>;
type Row = OperationOutput<'approval_list'>['approvals'][number];
type OwnRow = OperationOutput<'list_approvals'>['approvals'][number];
type Whole = OperationOutput<'approval_show'>['approval'];

/** What ends a question that no person answered. */
const NODE = 'node';
/** Lines of a preview that say who asks, and not for what. */
const WHO = /^(asked by|agent|session|reason, as it says): /;
/** What a command's preview says of each of its words. */
const ARGUMENT = /^argument \d+: (.*)$/;
/** Longest line of a list, UTF-16 units. */
const ABOUT_LIMIT = 120;

/** Labels of the approvers who are there; one that was removed since it answered is told by its id. */
export function approverLabels({ approvers }: Pick<Gate, 'approvers'>): LabelOf {
  const labels = new Map(approvers.list().map(({ id, label }) => [id, label]));
  return (id) => labels.get(id) ?? id;
}

/** A question in a list, for a person. */
export function viewApprovalRow(approval: Approval, labelOf: LabelOf, approverLabel: LabelOf): Row {
  const { origin, session, agent, decidedBy } = approval;
  return {
    ...viewOwnRow(approval, labelOf),
    ...{ origin, session, agent },
    ...(decidedBy === undefined ? {} : { decided_by: decidedBy }),
    ...(decidedBy === undefined || decidedBy === NODE ? {} : { decided_by_label: approverLabel(decidedBy) }),
  };
}

/** The same for whoever asked it: without the session, which it has, and without who the approvers are. */
export function viewOwnRow(approval: Approval, labelOf: LabelOf): OwnRow {
  const { id, kind, state, task, decidedAtMs, scope } = approval;
  return {
    ...{ id, kind, state },
    about: aboutOf(approval),
    requested_by: labelOf(approval.requestedBy),
    ...(task === undefined ? {} : { task }),
    scopes: [...approval.scopes],
    created_at_ms: approval.createdAtMs,
    expires_at_ms: approval.expiresAtMs,
    ...(decidedAtMs === undefined ? {} : { decided_at_ms: decidedAtMs }),
    ...(scope === undefined ? {} : { scope }),
  };
}

/** A question, whole. */
export function viewApproval(approval: Approval, labelOf: LabelOf, approverLabel: LabelOf): Whole {
  const { digest, preview, generation } = approval;
  return { ...viewApprovalRow(approval, labelOf, approverLabel), digest, preview, generation };
}

/** The first line that says what would be done, and of a command its words; the preview is safe to show as it is. */
function aboutOf({ preview }: Approval): string {
  const lines = preview.split('\n');
  const first = lines.find((text) => !WHO.test(text)) ?? '';
  const words = lines.flatMap((text) => ARGUMENT.exec(text)?.[1] ?? []);
  const line = words.length === 0 ? first : `${first}: ${words.map(shellWord).join(' ')}`;
  return line.length <= ABOUT_LIMIT ? line : `${line.slice(0, ABOUT_LIMIT)}…`;
}
