import type { Mend } from './types.ts';

/** Makes the failing test of the demo's own repository pass. */
const MEND_GREETER: Mend = {
  script: `sed -i.bak "s/'hello, ' + name/'hello, ' + (name || 'stranger')/" greet.mjs && rm greet.mjs.bak`,
  test: ['node', '--test'],
  failsBefore: true,
};

/** What the agent does: it mends the demo's own repository, and leaves a note in anybody else's. */
export function mendOf(request: { readonly repo?: string; readonly testCommand?: string }): Mend {
  if (request.repo === undefined) return MEND_GREETER;
  return {
    script: `echo 'An agent was here, and its work came back signed.' > WRIT-DEMO.md`,
    test: ['sh', '-c', request.testCommand ?? 'git status --short'],
    failsBefore: false,
  };
}
