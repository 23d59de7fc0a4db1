/** `npm run orphans [-- --count N]`: ends N runs that try to leave something behind, and says what was left. */
import { parseArgs } from 'node:util';
import { chaseOrphans } from './orphans.ts';

const { values } = parseArgs({ options: { count: { type: 'string', default: '200' } } });
const figures = await chaseOrphans(Number(values.count));
console.log(JSON.stringify(figures, null, 2));
if (figures.left.length > 0) process.exitCode = 1;
