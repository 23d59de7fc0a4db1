import type { PermissionOption, RequestPermissionOutcome } from '@agentclientprotocol/sdk';
import type { ToolAnswer } from '../tool-request.ts';

/** Which kinds of options say yes and no, the narrower first. What lasts is never chosen for a yes. */
const YES = ['allow_once'] as const;
const NO = ['reject_once', 'reject_always'] as const;

/**
 * The option that says it: by its kind, for an id or a name can promise anything. `cancelled` where nobody answers any more
 * or no option says it. A yes counts for the one call that was asked about.
 */
export function permissionAnswer(
  options: readonly PermissionOption[],
  answer: ToolAnswer | undefined,
): RequestPermissionOutcome {
  if (answer === undefined) return { outcome: 'cancelled' };
  const kinds: readonly string[] = answer.allowed ? YES : NO;
  const fitting = kinds.flatMap((kind) => options.filter((option) => option.kind === kind));
  const [chosen] = fitting;
  return chosen === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: chosen.optionId };
}
