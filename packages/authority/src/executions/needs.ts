import { quote } from '@writ/core';
import type { Execution } from '@writ/lease-store';
import type { Refusal } from '../record-types.ts';
import type { Rights } from './types.ts';

/** The capability without which nothing destructive runs. */
const DESTRUCTIVE = 'destructive';

/** What a command needs that no rule knows, or whose arguments say what else runs. */
const SHELL = 'shell';
const UNKNOWN = ', which a command needs of which no rule can say what it does: writ policy classify';
const TO_KNOW = [
  'or, on the executing node, say what it is by a rule of [[commands]]',
  'or list it in `commands` of the profile, or give that `shell = "allow"`',
];

/** Why these rights do not reach for a command; undefined: they do. Approvals and windows do not stand in for them. */
export function missingRight(
  rights: Rights,
  { class: of, needs }: Pick<Execution, 'class' | 'needs'>,
): Refusal | undefined {
  if (!rights.granted) return rights.refusal;
  const wanted = of === 'destructive' ? [...needs, DESTRUCTIVE] : needs;
  const missing = [...new Set(wanted)].filter((capability) => !rights.closure.includes(capability));
  if (missing.length === 0) return undefined;
  const isUnknown = missing.includes(SHELL);
  return {
    code: 'PROFILE_NOT_ALLOWED',
    message: `the profile ${quote(rights.profile)} lacks ${missing.join(', ')}${isUnknown ? UNKNOWN : ''}`,
    nextSteps: ['ask with a profile that holds it: writ policy explain', ...(isUnknown ? TO_KNOW : [])],
  };
}
