import { workUntilKilled } from './kill-child.ts';
import { proveKills } from './kills.ts';

/**
 * `node scripts/run-ts.mjs packages/delegation/src/testing/prove-kills.ts [KILLS [FROM]]`: kill -9 at every step of every transaction of
 * tasks that wait and tasks that ask, in real processes, on one node. The same program is the process that is killed;
 * FROM goes on where an earlier run ended.
 */
const [program = '', first = '200', dir = '', witness = '', killAt = ''] = process.argv.slice(1);
if (first === 'child') {
  await workUntilKilled({ dir, witness, killAt: Number.parseInt(killAt, 10) });
} else {
  console.log(await proveKills(program, Number.parseInt(first, 10), Number.parseInt(dir || '0', 10)));
}
