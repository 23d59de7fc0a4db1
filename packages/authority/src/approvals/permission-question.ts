import type { Json } from '@writ/core';
import type { Asker } from '../record-types.ts';
import { askerLines, type PreviewLine, type ShownAsker, showLines } from './showing.ts';
import type { Question } from './types.ts';

/** What a task that runs here asks an approver of this node. */
export interface PermissionWish {
  readonly digest: string;
  readonly subject: Json;
  readonly lifetimeMs: number;
  /** Its question: labels of this node's, texts of the task's or its agent's. */
  readonly lines: readonly PreviewLine[];
}

/** The question that a task puts to an approver: once, whole, and in nobody's words but its own. */
export function permissionQuestion(
  asker: Asker & { readonly task: string },
  shown: ShownAsker,
  { digest, subject, lifetimeMs, lines }: PermissionWish,
): Question {
  return {
    ...{ kind: 'permission', asker, digest, subject, lifetimeMs, scopes: ['once'] },
    preview: showLines([...askerLines(shown, asker), { label: 'task', text: asker.task }, ...lines]),
  };
}
