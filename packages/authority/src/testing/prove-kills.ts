import { workUntilKilled } from './kill-child.ts';
import { proveKills } from './kills.ts';

/**
 * `node scripts/run-ts.mjs packages/authority/src/testing/prove-kills.ts [KILLS [FROM]]`: kill -9 at every step of every
 * transaction, in real processes, on one database. FROM goes on where an earlier run ended. The same program is the
 * process that is killed.
 */
const [program = '', first = '200', path = '', witness = '', killAt = ''] = process.argv.slice(1);
if (first === 'child') {
  await workUntilKilled({ path, witness, killAt: Number.parseInt(killAt, 10) });
} else {
  const { kills, steps } = await proveKills(program, Number.parseInt(first, 10), Number.parseInt(path || '0', 10));
  console.log(`${kills} kills in ${steps} different steps: every database whole, nothing half done, nothing lost`);
}
