import { parseArgs } from 'node:util';
import { fuzzTools } from './tool-fuzz.ts';

/** `npm run fuzz:tools -- --count N [--seed N]`: calls the tools with arguments made from their schemas. */
const { values } = parseArgs({
  options: { count: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
});
const report = await fuzzTools(Number(values.count), Number(values.seed));
console.log(JSON.stringify(report, undefined, 2));
process.exitCode = report.problems.length === 0 ? 0 : 1;
