/** Copied code, and the proof that something was looked at: jscpd can analyse no files and pass. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bin, conclude, run } from './lib/run.mjs';
import { ROOT, treeFiles } from './lib/tree.mjs';

/** Share of the tree's TypeScript files that must have been analysed; files below the token minimum are not counted. */
const LEAST_SHARE = 0.5;

const { threshold } = JSON.parse(readFileSync(join(ROOT, '.jscpd.json'), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'writ-jscpd-'));
try {
  const { status, output } = await run(bin('jscpd'), ['--fail-on-empty', '--reporters', 'json', '--output', folder]);
  if (status !== 0) {
    conclude('duplicates', [output.trim() || `jscpd ended with ${status}`], '');
  } else {
    const { statistics, duplicates } = JSON.parse(readFileSync(join(folder, 'jscpd-report.json'), 'utf8'));
    const { sources, percentage, clones } = statistics.total;
    const present = treeFiles('packages/*/src/*.ts', 'apps/*/src/*.ts').filter(
      (path) => !path.includes('/gen/'),
    ).length;
    const places = duplicates.map(
      ({ firstFile, secondFile, lines }) =>
        `  ${firstFile.name}:${firstFile.start} = ${secondFile.name}:${secondFile.start} (${lines} lines)`,
    );
    const complaints = [
      ...(sources < present * LEAST_SHARE ? [`only ${sources} files were analysed, ${present} are there`] : []),
      ...(percentage > threshold ? [`${percentage.toFixed(2)} % is copied, more than ${threshold} %`, ...places] : []),
    ];
    conclude(
      'duplicates',
      complaints,
      `${sources} files, ${clones} clones, ${percentage.toFixed(2)} % of at most ${threshold} %`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
