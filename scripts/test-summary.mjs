/**
 * Reads the test runner's own JSON report and prints, as its last line, `N passed, N failed, N skipped`.
 * A file that could not be loaded counts as one failure, so does a run that ended without a report or that the runner
 * itself calls unsuccessful. With WRIT_TEST_REQUIRE=all a skipped test makes the exit status 1, as a failed one does; but
 * for those that drive somebody else's program (test/support/require.ts, `OPTIONAL`).
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './lib/tree.mjs';

/** In the name of a suite that nothing may require. */
const OPTIONAL = '[skipped, not installed:';

function countsOf(report) {
  const tests = report.testResults.flatMap((file) =>
    file.assertionResults.map((test) => ({ ...test, file: file.name })),
  );
  const count = (...states) => tests.filter(({ status }) => states.includes(status)).length;
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed'),
  );
  const failed = tests.filter(({ status }) => status === 'failed');
  const names = [
    ...failed.map(({ file, fullName }) => `failed: ${file.replace(`${ROOT}/`, '')}: ${fullName}`),
    ...broken.map(({ name, message }) => `failed: ${name.replace(`${ROOT}/`, '')}: ${message.split('\n')[0]}`),
    ...tests
      .filter(({ status }) => ['skipped', 'pending', 'todo', 'disabled'].includes(status))
      .map(({ fullName }) => `skipped: ${fullName}`),
  ];
  const optional = tests.filter(
    ({ status, fullName }) => status !== 'passed' && status !== 'failed' && fullName.includes(OPTIONAL),
  );
  const counted = failed.length + broken.length;
  return {
    files: report.testResults.length,
    passed: count('passed'),
    failed: counted === 0 && !report.success ? 1 : counted,
    skipped: count('skipped', 'pending', 'todo', 'disabled'),
    optional: optional.length,
    names,
  };
}

const path = process.argv[2] ?? join(ROOT, 'reports/vitest.json');
const counts = existsSync(path)
  ? countsOf(JSON.parse(readFileSync(path, 'utf8')))
  : { files: 0, passed: 0, failed: 1, skipped: 0, optional: 0, names: ['failed: the test runner left no report'] };
for (const name of counts.names) console.log(name);
if (counts.passed + counts.failed === 0) {
  counts.failed = 1;
  console.log('failed: no test ran');
}
const forbidden = process.env.WRIT_TEST_REQUIRE === 'all' ? counts.skipped - counts.optional : 0;
if (forbidden > 0) console.log(`failed: ${forbidden} skipped, which WRIT_TEST_REQUIRE=all forbids`);
console.log(`${counts.files} test files`);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 || forbidden > 0 ? 1 : 0;
