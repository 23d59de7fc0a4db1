import { authorityShapes } from './authority.ts';
import { firstUseShapes } from './first-use.ts';
import { machineShapes } from './machine.ts';
import { policyShapes } from './policy.ts';
import type { JsonShapes } from './types.ts';
import { workShapes } from './work.ts';

/** Commands that print no JSON of their own: they speak another protocol, or print text for a shell. */
export const WITHOUT_JSON: readonly string[] = ['mcp serve'];

/** What each command prints with `--json`. */
export const JSON_SHAPES: JsonShapes = {
  ...firstUseShapes,
  ...machineShapes,
  ...workShapes,
  ...authorityShapes,
  ...policyShapes,
};
