import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withSteps } from '@writ/testkit/steps';
import BetterSqlite3 from 'better-sqlite3';
import type { DecideOutcome } from '../approvals/types.ts';
import { createGateFixture, type GateFixture, HOUR_MS } from './gate-fixture.ts';

/** What somebody with a connection of their own would do to a question, one statement each. */
export const INTRUSIONS = {
  'ends the session': 'UPDATE session SET ended_at_ms = 1',
  'takes the question': `UPDATE approval SET state = 'denied', decided_at_ms = 1, decided_by = 'another',
    version = version + 1 WHERE state = 'pending'`,
  'lets it expire': `UPDATE approval SET expires_at_ms = 1 WHERE state = 'pending'`,
  'revokes the lease': 'UPDATE lease SET revoked_at_ms = 1',
  'removes the approver': 'UPDATE approver SET removed_at_ms = 1',
} as const;

/** Name of an intrusion. */
export type Intrusion = keyof typeof INTRUSIONS;

/** What became of an answer while somebody else tried to change what it rests on at every step of its transaction. */
export interface Intruded {
  readonly outcome: DecideOutcome;
  /** Attempts inside the transaction, and how many of them were kept out. */
  readonly attempts: number;
  readonly keptOut: number;
  /** States of the question that the other connection saw inside the transaction. */
  readonly seen: readonly string[];
  /** State of the question at the end. */
  readonly state: string | undefined;
}

/**
 * Answers a question about a command while a second connection tries `intrusion`: once in the moment before the transaction
 * begins, or at each of its steps.
 */
export async function answerWhile(
  intrusion: Intrusion,
  when: 'before' | 'inside',
  answer: 'approve' | 'deny',
): Promise<Intruded> {
  const dir = mkdtempSync(join(tmpdir(), 'writ-intruded-'));
  const path = join(dir, 'writ.db');
  let tell: (place: 'before' | 'inside' | 'after') => void = () => {};
  const at = await createGateFixture({ path, wrapDatabase: (real) => withSteps(real, (place) => tell(place)) });
  const other = new BetterSqlite3(path, { timeout: 0 });
  try {
    const { approval, said } = ask(at, answer);
    const [seen, tries] = [new Set<string>(), { attempts: 0, keptOut: 0 }];
    tell = (place) => {
      if (place !== when) return;
      if (place === 'inside') seen.add(String(stateOf(other, approval)));
      tries.attempts += 1;
      if (!intrude(other, INTRUSIONS[intrusion])) tries.keptOut += 1;
    };
    const outcome = at.gate.approvals.decide(approval, said);
    tell = () => {};
    return { outcome, ...tries, seen: [...seen], state: stateOf(other, approval) };
  } finally {
    other.close();
    at.close();
    rmSync(dir, { recursive: true });
  }
}

function ask(at: GateFixture, answer: 'approve' | 'deny') {
  at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: 8 * HOUR_MS, issuedBy: 'ap-1' });
  const proposed = at.propose();
  if (!proposed.proposed) throw new Error(proposed.refusal.message);
  const { approval = '' } = proposed.execution;
  const statement = at.gate.approvals.statement(
    approval,
    answer === 'approve' ? { answer, scope: 'once' } : { answer },
  );
  if (statement === undefined) throw new Error('the question is gone');
  return { approval, said: { statement, proof: at.proofOf(statement) } };
}

function stateOf(handle: BetterSqlite3.Database, id: string): string | undefined {
  const state = handle.prepare('SELECT state FROM approval WHERE id = ?').pluck().get(id);
  return typeof state === 'string' ? state : undefined;
}

/** False where the writer kept it out. */
function intrude(handle: BetterSqlite3.Database, sql: string): boolean {
  try {
    handle.exec(sql);
    return true;
  } catch (error) {
    if (error instanceof BetterSqlite3.SqliteError && error.code === 'SQLITE_BUSY') return false;
    throw error;
  }
}
