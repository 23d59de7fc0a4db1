import { mkdirSync, writeFileSync } from 'node:fs';
import { GOLDEN, goldenText } from './render.ts';

// `npm run golden`: writes the golden files anew.
// What changed in them is what a change of the package means to others: read it before it is committed.
mkdirSync('packages/policy/golden', { recursive: true });
for (const [name, parts] of Object.entries(GOLDEN)) {
  writeFileSync(`packages/policy/golden/${name}.txt`, goldenText(parts));
}
