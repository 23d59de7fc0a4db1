/** Runs a TypeScript file of this tree as a program: `node scripts/run-ts.mjs FILE [ARGUMENTS…]`. */
import { spawn } from 'node:child_process';
import { withBundle } from './lib/load-ts.mjs';

const [entry, ...args] = process.argv.slice(2);
if (entry === undefined) {
  console.error('usage: node scripts/run-ts.mjs FILE [ARGUMENTS…]');
  process.exit(2);
}
process.exitCode = await withBundle(entry, (file) => {
  const child = spawn(process.execPath, ['--enable-source-maps', file, ...args], { stdio: 'inherit' });
  // The program ends itself and what it started; this process waits for it, so that the bundle is removed last.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
});
