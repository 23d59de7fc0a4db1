import type { ColumnType, Generated } from 'kysely';

/** A column that only the database fills. */
type Computed<T> = ColumnType<T, never, never>;

/** Append-only by trigger. `details` is a JSON object. */
export interface AuditTable {
  seq: Generated<number>;
  at_ms: number;
  kind: string;
  action: string;
  actor: string;
  subject: string | null;
  details: string | null;
}

/** How often somebody was refused the same, beside the rows that were written of it. */
export interface RefusalTable {
  action: string;
  actor: string;
  code: string;
  task: string;
  kind: string;
  since_ms: number;
  written: number;
  more: number;
  last_ms: number;
}

/** One row: the highest time that was ever persisted. */
export interface ClockMarkTable {
  id: number;
  high_ms: number;
  settled_ms: number;
  awake_ms: number;
  doubt_ahead_ms: number | null;
  doubt_since_ms: number | null;
}

/** `closure` and `workspaces` are JSON lists of strings. */
export interface LeaseTable {
  id: string;
  peer: string;
  origin: string;
  session: string | null;
  profile: string;
  closure: string;
  workspaces: string;
  issued_by: string;
  issued_at_ms: number;
  expires_at_ms: number;
  max_expires_at_ms: number;
  max_uses: number | null;
  uses: number;
  revoked_at_ms: number | null;
  version: number;
}

export interface SessionTable {
  origin: string;
  id: string;
  agent: string;
  started_at_ms: number;
  ended_at_ms: number | null;
}

/** `prefix` (16 characters of `hash`) is what is looked up; the rest is compared in constant time. */
export interface TokenTable {
  hash: string;
  prefix: string;
  kind: 'host' | 'task';
  task: string | null;
  origin: string | null;
  session: string | null;
  created_at_ms: number;
}

/** Requests of a subject, counted by second. */
export interface RequestLogTable {
  subject: string;
  at_s: number;
  requests: number;
}

/** `profiles` and `workspaces` are JSON lists of strings. */
export interface InviteTable {
  id: string;
  secret_hash: string;
  profiles: string;
  workspaces: string;
  lease_ms: number | null;
  created_at_ms: number;
  expires_at_ms: number;
  used_at_ms: number | null;
}

/** `public_key` is base64url. */
export interface ApproverTable {
  id: string;
  kind: string;
  public_key: string;
  label: string;
  enrolled_at_ms: number;
  removed_at_ms: number | null;
}

/** `subject`, `scopes` and `proof` are JSON. `n` counts insertions and orders lists. */
export interface ApprovalTable {
  n: Generated<number>;
  id: string;
  kind: string;
  origin: string;
  session: string;
  agent: string;
  task: string | null;
  requested_by: string;
  digest: string;
  preview: string;
  subject: string;
  scopes: string;
  generation: number;
  state: string;
  created_at_ms: number;
  expires_at_ms: number;
  decided_at_ms: number | null;
  decided_by: string | null;
  scope: string | null;
  proof: string | null;
  use_by_ms: number | null;
  used_at_ms: number | null;
  version: number;
}

/** `steps` is a JSON list of digests. */
export interface WindowTable {
  n: Generated<number>;
  id: string;
  kind: string;
  origin: string;
  session: string;
  agent: string;
  workspace: string | null;
  target: string | null;
  profile: string;
  steps: string | null;
  approval: string;
  opened_at_ms: number;
  expires_at_ms: number;
  max_uses: number | null;
  uses: number;
  closed_at_ms: number | null;
  closed_by: string | null;
  version: number;
}

/** `needs`, `request`, `basis` and `outcome` are JSON. */
export interface ExecutionTable {
  n: Generated<number>;
  id: string;
  origin: string;
  session: string;
  agent: string;
  task: string | null;
  requested_by: string;
  idempotency_key: string;
  class: string;
  known: number;
  needs: string;
  target: string | null;
  profile: string;
  digest: string;
  request: string;
  basis: string;
  preview: string;
  state: string;
  approval: string | null;
  window: string | null;
  lease: string | null;
  created_at_ms: number;
  expires_at_ms: number;
  started_at_ms: number | null;
  ended_at_ms: number | null;
  outcome: string | null;
  version: number;
  live: Computed<number>;
}

export interface SessionEndTable {
  origin: string;
  session: string;
  peer: string;
  at_ms: number;
}

export interface SessionHolderTable {
  origin: string;
  session: string;
  peer: string;
}

/** `argv` is a JSON list of strings. `n` counts insertions and orders lists. */
export interface SentCommandTable {
  n: Generated<number>;
  key: string;
  peer: string;
  id: string | null;
  session: string;
  agent: string;
  profile: string | null;
  argv: string;
  state: string | null;
  class: string | null;
  code: string | null;
  sent_at_ms: number;
  seen_at_ms: number | null;
  is_final: number;
}

export interface NodeFactTable {
  key: string;
  value: string;
}

/** `chain`, `spec`, `bounds`, `granted`, `outcome` and `writs` are JSON. `n` counts insertions and orders lists. */
export interface TaskTable {
  n: Generated<number>;
  id: string;
  sender: string;
  origin: string;
  session: string;
  agent: string;
  chain: string;
  idempotency_key: string;
  request_digest: string;
  spec: string;
  bounds: string;
  granted: string;
  state: string;
  epoch: number;
  last_seq: number;
  created_at_ms: number;
  deadline_ms: number | null;
  cancel_requested_at_ms: number | null;
  attempt_nonce: string | null;
  outcome: string | null;
  writs: string | null;
  ended_at_ms: number | null;
  version: number;
  live: Computed<number>;
}

/** `body` is the JSON of what is special to the kind of event. */
export interface TaskEventTable {
  task_n: number;
  seq: number;
  at_ms: number;
  epoch: number;
  body: string;
}

/** `choices` is a JSON list of strings. `n` counts insertions and orders lists. */
export interface QuestionTable {
  n: Generated<number>;
  task: string;
  turn: number;
  id: string;
  kind: string;
  text: string;
  choices: string | null;
  previous: string | null;
  approval: string | null;
  state: string;
  asked_at_ms: number;
  settled_at_ms: number | null;
  settled_by: string | null;
  answer: string | null;
  answer_key: string | null;
  message: string | null;
}

/** `spec`, `granted`, `outcome` and `writs` are JSON. `n` counts insertions and orders lists. */
export interface MirrorTable {
  n: Generated<number>;
  id: string;
  peer: string;
  peer_label: string;
  session: string;
  agent: string;
  idempotency_key: string;
  spec: string;
  state: string;
  granted: string | null;
  cursor: number;
  created_at_ms: number;
  cancel_requested_at_ms: number | null;
  unreachable: number;
  unreachable_since_ms: number | null;
  accepted: number;
  outcome: string | null;
  parent: string | null;
  origin: string | null;
  writs: string | null;
  ended_at_ms: number | null;
  version: number;
  live: Computed<number>;
}

export interface MirrorEventTable {
  mirror_n: number;
  seq: number;
  at_ms: number;
  epoch: number;
  body: string;
}

/** Content and envelopes, by SHA-256, that the result in an envelope names. */
export interface EvidenceNameTable {
  sha256: string;
  named_by: string;
}

/** What is left of a task that was removed. */
export interface RemovedTaskTable {
  id: string;
  part: 'task' | 'mirror';
  owner: string;
  key_sha256: string;
  at_ms: number;
}

/** What is still there of tasks that were removed. */
export interface LeftoverTable {
  kind: string;
  name: string;
}

/** Row types of every table, for Kysely. */
export interface Tables {
  audit: AuditTable;
  clock_mark: ClockMarkTable;
  refusal: RefusalTable;
  lease: LeaseTable;
  session: SessionTable;
  token: TokenTable;
  request_log: RequestLogTable;
  invite: InviteTable;
  node_fact: NodeFactTable;
  approver: ApproverTable;
  approval: ApprovalTable;
  window: WindowTable;
  execution: ExecutionTable;
  session_end: SessionEndTable;
  session_holder: SessionHolderTable;
  sent_command: SentCommandTable;
  task: TaskTable;
  task_event: TaskEventTable;
  question: QuestionTable;
  mirror: MirrorTable;
  mirror_event: MirrorEventTable;
  evidence_name: EvidenceNameTable;
  removed_task: RemovedTaskTable;
  leftover: LeftoverTable;
}
