import { quote, WritError } from '@writ/core';
import type { RunSpec } from './types.ts';

/** Throws ISOLATION_UNAVAILABLE where a run asks for a sandbox: this build has none to offer. */
export function assertIsolation(spec: Pick<RunSpec, 'isolation' | 'runner'>): void {
  if (spec.isolation === 'none') return;
  throw new WritError(
    'ISOLATION_UNAVAILABLE',
    `runner ${quote(spec.runner.name)} needs isolation, and this node has no sandbox`,
    {
      details: { isolation: spec.isolation },
      nextSteps: [
        'on the executing node, write isolation = "none" in the profile',
        'it means that the task runs as the node’s own user: it can read and change whatever that user can',
      ],
    },
  );
}
