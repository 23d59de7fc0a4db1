/** What a call came to: it was about that task · as if there were none · the token proves nothing. */
export type Cell = 'reached' | 'absent' | 'refused';

/** Whose token a call carries; the last four are tried on the control socket and on the socket of the task. */
export const TOKENS = ['task', 'host', 'none', 'garbage', 'expired', 'foreign'] as const;
export type TokenKind = (typeof TOKENS)[number];

/** Which task a call is about, as seen from the task whose token it is, and the node that is asked. */
export const TARGETS = {
  own: 'beta',
  child: 'beta',
  /** Handed on at the next node: this one has no record of it. */
  grandchild: 'beta',
  /** What handed the asking task on: its record is at the node before. */
  parent: 'gamma',
  sibling: 'beta',
  stranger: 'beta',
  preSession: 'beta',
} as const;
export type Target = keyof typeof TARGETS;

/** Every verb; each is expected to come to the same, but for what stands in `EXCEPTIONS`. */
export const VERBS = ['status', 'result', 'transcript', 'artifact', 'list', 'events', 'cancel'] as const;
export type Verb = (typeof VERBS)[number];

/** By target: the task's own token, then the host token. Every other token is refused, whatever it is asked for. */
export const MATRIX: Readonly<Record<Target, Readonly<Record<'task' | 'host', Cell>>>> = {
  own: { task: 'reached', host: 'reached' },
  child: { task: 'reached', host: 'reached' },
  grandchild: { task: 'absent', host: 'absent' },
  parent: { task: 'absent', host: 'absent' },
  sibling: { task: 'absent', host: 'reached' },
  stranger: { task: 'absent', host: 'reached' },
  preSession: { task: 'absent', host: 'reached' },
};

/** Operations about a task that are looked at elsewhere, and where. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  wait: 'test/mesh/chains.test.ts',
  task_watch: 'test/mesh/chains.test.ts',
  task_log: 'test/mesh/chains.test.ts',
  list_artifacts: 'test/mesh/chains.test.ts',
  verify_result: 'test/mesh/chains.test.ts',
  task_content: 'test/mesh/chains.test.ts',
  task_show: 'test/mesh/chains.test.ts (closed to task tokens)',
  apply_result: 'test/mesh/chains.test.ts (closed to task tokens)',
  task_forget: 'test/mesh/chains.test.ts (closed to task tokens)',
  reply: 'packages/gateway/src/operations/turns.test.ts',
  reply_credential: 'packages/gateway/src/operations/turns.test.ts (closed to task tokens)',
};
