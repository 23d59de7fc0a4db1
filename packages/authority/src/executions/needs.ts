import type { Execution } from '@writ/lease-store';
import type { Refusal } from '../record-types.ts';
import type { Rights } from './types.ts';

/** The capability without which nothing destructive runs. */
const DESTRUCTIVE = 'destructive';

/** Why these rights do not reach for a command; undefined: they do. Approvals and windows do not stand in for them. */
export function missingRight(
  rights: Rights,
  { class: of, needs }: Pick<Execution, 'class' | 'needs'>,
): Refusal | undefined {
  if (!rights.granted) return rights.refusal;
  const wanted = of === 'destructive' ? [...needs, DESTRUCTIVE] : needs;
  const missing = [...new Set(wanted)].filter((capability) => !rights.closure.includes(capability));
  if (missing.length === 0) return undefined;
  return {
    code: 'PROFILE_NOT_ALLOWED',
    message: `the profile ${rights.profile} lacks ${missing.join(', ')}`,
    nextSteps: ['ask with a profile that holds it: writ policy explain'],
  };
}
