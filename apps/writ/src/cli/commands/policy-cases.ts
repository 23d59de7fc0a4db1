import { visible } from '@writ/core';
import type { CaseReport } from '@writ/policy';
import { readText } from '../config-text.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';

/** Runs a file of policy cases; needs no node. */
export async function runPolicyCases(context: CliContext, file: string): Promise<number> {
  const { checkPolicyCase, readPolicyCases, reportOf } = await import('@writ/policy');
  return showReport(context, reportOf(readPolicyCases(readText(file)).flatMap(checkPolicyCase)));
}

/** Prints what a file of cases came to; exit code 1 on any failure. */
export function showReport({ output }: CliContext, report: CaseReport): number {
  output.result(report, ({ passed, failed, failures }) =>
    [
      ...failures.map(
        ({ name, expected, got }) => `FAILED  ${visible(name)}: expected ${expected}, got ${visible(got)}`,
      ),
      `${passed} passed, ${failed} failed`,
    ].join('\n'),
  );
  return report.failed === 0 ? EXIT.ok : EXIT.taskFailed;
}
