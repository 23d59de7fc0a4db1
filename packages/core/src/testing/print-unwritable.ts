import { findUnwritable } from '../writable.ts';

/** `node scripts/run-ts.mjs packages/core/src/testing/print-unwritable.ts DIR…`: what `findUnwritable` says of each folder, a line each. */
for (const dir of process.argv.slice(2)) {
  const { code, message } = findUnwritable(dir) ?? {};
  process.stdout.write(`${code ?? 'writable'} ${message ?? ''}\n`);
}
