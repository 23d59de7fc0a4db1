import type { Json } from '@writ/core';
import type { Asker } from '../record-types.ts';
import { askerLines, type ShownAsker, showLines } from './showing.ts';
import type { Question } from './types.ts';

/** What a task that runs here asks an approver of this node. */
export interface PermissionWish {
  readonly digest: string;
  readonly subject: Json;
  readonly lifetimeMs: number;
  /** Each line of its question, as the task wrote it. */
  readonly lines: readonly string[];
}

/** The question that a task puts to an approver: once, whole, and in nobody's words but its own. */
export function permissionQuestion(
  asker: Asker & { readonly task: string },
  shown: ShownAsker,
  { digest, subject, lifetimeMs, lines }: PermissionWish,
): Question {
  return {
    ...{ kind: 'permission', asker, digest, subject, lifetimeMs, scopes: ['once'] },
    preview: showLines([
      ...askerLines(shown, asker),
      { label: 'task', text: asker.task },
      ...lines.map((text) => ({ label: 'the task asks', text })),
    ]),
  };
}
