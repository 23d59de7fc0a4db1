import { formatDuration } from '@writ/core';
import type { ApprovalScope, Execution } from '@writ/lease-store';
import { coveredChanges } from '@writ/policy';
import type { PreviewLine } from '../approvals/showing.ts';

/** How long a window stays open that a yes to a single command opens, milliseconds: an hour. */
export const WINDOW_MS = 3_600_000;

/** What of a command says how far a yes to it can reach. */
export type ScopedCommand = Pick<Execution, 'class' | 'known' | 'target'>;

/** What can be answered besides no: a window only where it could ever cover such a command. */
export function scopesOf({ class: of, known, target }: ScopedCommand): readonly ApprovalScope[] {
  if (!known) return ['once'];
  if (of === 'config-mutation') return ['once', 'session'];
  return target === undefined ? ['once'] : ['once', 'target'];
}

/** Where a window covers anything, for the person who opens it. */
export function placeText(workspace: string | undefined): string {
  return workspace === undefined ? 'without a workspace' : `in workspace ${workspace}`;
}

/** What an assent window lets run besides listed steps, for the person who opens it: much that nobody has seen yet. */
export function assentText(workspace: string | undefined): string {
  return `these changes of this agent in this session ${placeText(workspace)} under this profile, without asking, of services, packages and containers only those that are named here: ${coveredChanges()}`;
}

/** What each answer would open, for the person who gives it. */
export function scopeLines(command: ScopedCommand, workspace: string | undefined): readonly PreviewLine[] {
  const opens: Readonly<Record<ApprovalScope, string>> = {
    once: 'nothing more than this command',
    session: `${assentText(workspace)}, for ${formatDuration(WINDOW_MS)}`,
    target: `destructive commands of this agent in this session ${placeText(workspace)} on this target under this profile, for ${formatDuration(WINDOW_MS)}`,
  };
  return scopesOf(command).map((scope) => ({ label: `yes, ${scope}, allows`, text: opens[scope] }));
}
