import { digestJson, type Json } from '@writ/core';
import { fieldsOf } from '@writ/database';
import type { Approval, Approver, ApproverStore } from '@writ/lease-store';
import { z } from 'zod';
import type { ApproverDesk } from '../approver-desk.ts';
import type { KindRules } from '../record-types.ts';
import { askerLines, type PreviewLine, type ShownAsker, showLines } from './showing.ts';
import type { Question } from './types.ts';

/** An approver as it is enrolled; the caller has checked that the key is one. */
export type NewApprover = Pick<Approver, 'id' | 'kind' | 'publicKey' | 'label'>;

/** A change of who answers: a question of kind `policy`, since whoever answers can give everything else. */
export type ApproverChange =
  | { readonly act: 'enroll'; readonly approver: NewApprover }
  | { readonly act: 'remove'; readonly approver: Pick<Approver, 'id' | 'label'> };

const changeSchema: z.ZodType<ApproverChange> = z.discriminatedUnion('act', [
  z.object({
    act: z.literal('enroll'),
    approver: z.object(
      fieldsOf<NewApprover>()({ id: z.string(), kind: z.string(), publicKey: z.string(), label: z.string() }),
    ),
  }),
  z.object({ act: z.literal('remove'), approver: z.object({ id: z.string(), label: z.string() }) }),
]);

/** The question that a change of who answers is. */
export function approverQuestion(
  change: ApproverChange,
  question: Pick<Question, 'asker' | 'lifetimeMs'>,
  shown: ShownAsker,
): Question {
  const subject: Json = JSON.parse(JSON.stringify(change));
  return {
    ...question,
    kind: 'policy',
    digest: digestOf(change),
    subject,
    scopes: ['once'],
    preview: showLines([...askerLines(shown, question.asker), ...linesOf(change)]),
  };
}

/** Whether a question of kind `policy` is about who answers, and not about the configuration. */
export function isApproverChange(approval: Approval): boolean {
  return readChange(approval) !== undefined;
}

/** A yes enrols or removes, in its own transaction. */
export function createApproverRules(approvers: Pick<ApproverStore, 'get'>, desk: ApproverDesk): KindRules {
  return {
    refusal: () => undefined,
    digestNow(tx, approval) {
      const change = readChange(approval);
      if (change === undefined) return undefined;
      const known = approvers.get(tx, change.approver.id);
      const isPossible = change.act === 'enroll' ? known === undefined : known && known.removedAtMs === undefined;
      return isPossible ? digestOf(change) : undefined;
    },
    settle(tx, approval) {
      const change = approval.state === 'approved' ? readChange(approval) : undefined;
      const by = approval.decidedBy ?? '';
      if (change?.act === 'enroll') desk.enroll(tx, change.approver, by);
      if (change?.act === 'remove') desk.remove(tx, change.approver.id, by);
    },
  };
}

function linesOf(change: ApproverChange): readonly PreviewLine[] {
  const { id, label } = change.approver;
  const who = [
    { label: change.act === 'enroll' ? 'enrol as an approver' : 'remove the approver', text: label },
    { label: 'whose key is', text: id },
  ];
  if (change.act === 'remove')
    return [
      ...who,
      {
        label: 'afterwards',
        text: 'it answers nothing on this node any more; its windows and unused answers end, its leases stay',
      },
      {
        label: 'where it is the last one',
        text: 'the host token alone, which agents have too, lends, pairs and widens',
      },
    ];
  return [...who, { label: 'afterwards', text: 'whoever holds that key can answer everything on this node' }];
}

function digestOf(change: ApproverChange): string {
  return digestJson({ is: 'writ approver change 1', change: JSON.parse(JSON.stringify(change)) as Json });
}

function readChange({ subject }: Approval): ApproverChange | undefined {
  return changeSchema.safeParse(subject).data;
}
