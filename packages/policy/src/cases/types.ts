/** One thing that a case says, and what came of it. */
export interface CaseCheck {
  readonly name: string;
  readonly expected: string;
  readonly got: string;
  readonly ok: boolean;
}

/** What a file of cases came to. */
export interface CaseReport {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly Omit<CaseCheck, 'ok'>[];
}

/** Counts checks. */
export function reportOf(checks: readonly CaseCheck[]): CaseReport {
  const failures = checks.filter(({ ok }) => !ok).map(({ ok: _, ...failure }) => failure);
  return { passed: checks.length - failures.length, failed: failures.length, failures };
}
