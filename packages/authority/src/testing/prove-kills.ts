import { workUntilKilled } from './kill-child.ts';
import { proveKills } from './kills.ts';

/**
 * `node scripts/run-ts.mjs packages/authority/src/testing/prove-kills.ts [KILLS]`: kill -9 at every step of every
 * transaction, in real processes, on one database. The same program is the process that is killed.
 */
const [program = '', first = '200', path = '', witness = '', killAt = ''] = process.argv.slice(1);
if (first === 'child') {
  await workUntilKilled({ path, witness, killAt: Number.parseInt(killAt, 10) });
} else {
  const { kills, steps } = await proveKills(program, Number.parseInt(first, 10));
  console.log(`${kills} kills in ${steps} different steps: every database whole, nothing half done, nothing lost`);
}
