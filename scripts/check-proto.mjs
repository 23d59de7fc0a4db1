/**
 * The wire contract: lint, and no breaking change against proto/baseline.binpb, the image of the contract that
 * peers in the field already speak. It is a file of the tree so that the check says the same in a shallow clone, in a
 * copy without git and before the first commit. `npm run proto:accept` makes today's contract the baseline.
 * A canary (one field gets another number) must be reported.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bin, conclude, run } from './lib/run.mjs';
import { ROOT } from './lib/tree.mjs';

const PROTO = join(ROOT, 'proto');
const BASELINE = join(PROTO, 'baseline.binpb');
const MESH = 'writ/mesh/v1/mesh.proto';

/** buf keeps a cache in the home folder; the checks need none of it. */
async function withBuf(use) {
  const folder = mkdtempSync(join(tmpdir(), 'writ-buf-'));
  const buf = (cwd, ...args) =>
    run(bin('buf'), args, { cwd, env: { ...process.env, BUF_CACHE_DIR: join(folder, 'cache') } });
  try {
    return await use(buf, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function canaryComplaints(buf, folder) {
  const copy = join(folder, 'proto');
  cpSync(PROTO, copy, { recursive: true });
  const file = join(copy, MESH);
  const text = readFileSync(file, 'utf8');
  const changed = text.replace(/(message TaskSpec \{[^}]*?\}[^}]*?string profile = )\d+;/, '$1900;');
  if (changed === text) return ['canary: message TaskSpec has no field profile any more; choose another field'];
  writeFileSync(file, changed);
  const { status, output } = await buf(copy, 'breaking', '--against', BASELINE);
  return status !== 0 && output.includes('TaskSpec') ? [] : ['canary: a changed field number was not reported'];
}

await withBuf(async (buf, folder) => {
  if (process.argv.includes('--accept')) {
    const { status, output } = await buf(PROTO, 'build', '--exclude-source-info', '-o', BASELINE);
    return conclude('proto', status === 0 ? [] : [output.trim()], "today's contract is the baseline now");
  }
  const lint = await buf(PROTO, 'lint');
  const complaints = lint.status === 0 ? [] : [lint.output.trim()];
  if (!existsSync(BASELINE)) complaints.push('proto/baseline.binpb is missing: npm run proto:accept');
  else {
    const breaking = await buf(PROTO, 'breaking', '--against', BASELINE);
    if (breaking.status !== 0) complaints.push(breaking.output.trim(), 'meant so? npm run proto:accept');
    complaints.push(...(await canaryComplaints(buf, folder)));
  }
  return conclude('proto', complaints, 'lint clean, nothing broken against the baseline, canary reported');
});
