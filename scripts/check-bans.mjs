/**
 * Clock, randomness and environment are arguments, and no check is turned off in a comment. A canary holds each
 * banned thing once, so that a walker that sees nothing cannot pass.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bannedIn, HOMES } from './lib/banned.mjs';
import { conclude } from './lib/run.mjs';
import { isTestCode, ROOT, treeFiles } from './lib/tree.mjs';

/** Each line is banned; a line is its own expectation. */
const CANARY = [
  'Date.now();',
  'new Date();',
  'performance.now();',
  'Math.random();',
  "Math['random']();",
  'process.env.HOME;',
  'setTimeout(() => {}, 5);',
  'const f = async () => { for (;;) { await g(() => setInterval(h, 1)); } };',
  'setImmediate(h);',
  "import { setTimeout as sleep } from 'node:timers/promises';",
  "import { randomBytes, createHash } from 'node:crypto';",
  "import { env } from 'node:process';",
  `// ${'TO'}DO: later`,
  `/* ${'biome'}-ignore lint: reason */`,
];
/** Each line is allowed. */
const HARMLESS = [
  'new Date(clock.nowMs());',
  'clock.setTimer(5, f);',
  "import type { Timeout } from 'node:timers';",
  "import { createHash } from 'node:crypto';",
  'const env = options.env;',
];

function canaryComplaints() {
  const lines = ['const é = 1;', ...CANARY];
  const reported = new Set(
    bannedIn('packages/policy/src/canary.ts', lines.join('\n'), { ambient: true }).map(({ line }) => line),
  );
  const missed = CANARY.filter((_, index) => !reported.has(index + 2));
  const wrong = bannedIn('packages/policy/src/canary.ts', HARMLESS.join('\n'), { ambient: true });
  return [
    ...missed.map((line) => `canary: not reported: ${line}`),
    ...wrong.map(({ line }) => `canary: reported without reason: ${HARMLESS[line - 1]}`),
  ];
}

const files = treeFiles('packages/*/src/*.ts', 'apps/*/src/*.ts', 'test/*.ts').filter(
  (path) => !path.includes('/gen/'),
);
const complaints = files.flatMap((path) =>
  bannedIn(path, readFileSync(join(ROOT, path), 'utf8'), { ambient: !isTestCode(path) }).map(
    ({ line, what, kind }) =>
      `${path}:${line}: ${what} (${HOMES[kind] ? `${kind} is an argument; its home is ${HOMES[kind].join(', ')}` : 'mend it instead'})`,
  ),
);
conclude(
  'bans',
  [...complaints, ...canaryComplaints()],
  `${files.length} files, canary reported ${CANARY.length} of ${CANARY.length}`,
);
