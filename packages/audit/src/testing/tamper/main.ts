/** `npm run tamper [-- --count N --seed S]`: tampers with an audit log N times, and says how often that was found. */
import { parseArgs } from 'node:util';
import { tamperOften } from './tamper.ts';

const { values } = parseArgs({
  options: { count: { type: 'string', default: '1000' }, seed: { type: 'string', default: '1' } },
});
const figures = await tamperOften(Number(values.count), Number(values.seed));
console.log(JSON.stringify(figures, null, 2));
const isProved = figures.found === figures.tamperings && figures.failures.length === 0 && figures.falseAlarms === 0;
if (!isProved) process.exitCode = 1;
