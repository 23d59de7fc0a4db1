import { proveRemovalKills, sweepUntilKilled } from './removal-kills.ts';

/**
 * `node scripts/run-ts.mjs packages/delegation/src/testing/prove-removal-kills.ts [FIRST [STRIDE]]`: kill -9 in every STRIDEth step, of
 * transactions and of files, of a sweep that removes tasks, from step FIRST on. The same program is the process that is killed.
 */
const [program = '', first = '1', second = '1', killAt = ''] = process.argv.slice(1);
if (first === 'child') await sweepUntilKilled(second, Number.parseInt(killAt, 10));
else console.log(await proveRemovalKills(program, Number.parseInt(first, 10), Number.parseInt(second, 10)));
