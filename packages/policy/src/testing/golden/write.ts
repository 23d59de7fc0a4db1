import { mkdirSync, writeFileSync } from 'node:fs';
import { GOLDEN, goldenText } from './render.ts';

// Writes the golden files anew, from the root of the tree: `node scripts/run-ts.mjs packages/policy/src/testing/golden/write.ts`.
// What changed in them is what a change of the package means to others: read it before it is committed.
mkdirSync('packages/policy/golden', { recursive: true });
for (const [name, parts] of Object.entries(GOLDEN)) {
  writeFileSync(`packages/policy/golden/${name}.txt`, goldenText(parts));
}
