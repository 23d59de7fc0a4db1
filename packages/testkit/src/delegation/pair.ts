import type { DelegateRequest, SubmitRequest } from '@writ/delegation';
import { NODE_IDS } from './test-identities.ts';

/** Policy of a node `alpha` that asks `beta` for these profiles and offers nothing. */
export function asksBeta(...profiles: readonly string[]): string {
  return `schema = 1
[node]
name = "alpha"
[peers.beta]
id = "${NODE_IDS.beta}"
address = "127.0.0.1:1"
[peers.beta.outbound]
profiles = ${JSON.stringify(profiles)}
`;
}

/** Policy of a node `beta` whose profile `query` is alpha's to ask for; `more` is written at the end, where the table is alpha's own. */
export function servesAlpha(more = ''): string {
  return `schema = 1
[node]
name = "beta"
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
isolation = "none"
[peers.alpha]
id = "${NODE_IDS.alpha}"
profiles = ["query"]
${more}`;
}

/** Asks beta to run `true` under `query`, in the session `s1`. */
export function askTrue(more: Partial<DelegateRequest> = {}): DelegateRequest {
  const input = { kind: 'argv', argv: ['true'] } as const;
  return { to: 'beta', spec: { input, profile: 'query' }, session: 's1', agent: 'tester', ...more };
}

/** What this machine's own agent asks of the node itself: to run `true`, in the session `s1`. */
export function submitTrue(task: string, more: Partial<SubmitRequest> = {}): SubmitRequest {
  return {
    ...{ task, idempotencyKey: task, agent: 'tester', subject: { from: 'self', origin: 'self', session: 's1' } },
    spec: { input: { kind: 'argv', argv: ['true'] } },
    ...more,
  };
}
