import { readFileSync } from 'node:fs';
import {
  follow,
  processesWith,
  startThreeNodes,
  submit,
  type ThreeNodes,
  until,
  untilOutput,
} from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** As `repo-dev`, and an attempt that is lost may be made again. */
const AGAIN = `
[profiles.again]
capabilities = ["read_repo", "edit_repo", "run_tests"]
shell = "allow"
runner = "shell"
require_explicit = true
require_lease = true
timeout = "5m"
isolation = "none"
retry = "safe"
`;

let nodes: ThreeNodes;
beforeAll(async () => {
  nodes = await startThreeNodes({ more: AGAIN, offer: { profiles: ['query', 'again'] } });
  await nodes.beta.client().call('lease_grant', { peer: 'alpha', profile: 'again', duration: '1h' });
}, 120_000);
afterAll(() => nodes.mesh.close(), 60_000);

describe('kill -9 of the node that works, under a profile with retry = "safe"', () => {
  it('has the attempt made again once it is up, and the one that asked sees both without a gap', async () => {
    const witness = `${nodes.mesh.dir}/witness`;
    const script = `echo run >> ${witness}; n=$(wc -l < ${witness}); echo attempt $n; [ $n -gt 1 ] || sleep 28301`;
    const task = await submit(nodes.alpha, { profile: 'again', workspace: 'app', argv: ['sh', '-c', script] });
    await untilOutput(nodes.alpha, task, 'attempt 1');
    await nodes.beta.kill();
    await until('what it started is gone without it', () => processesWith('sleep 28301').length === 0);
    await nodes.beta.up();
    const followed = await follow(nodes.alpha, task);
    expect(followed.outcome).toMatchObject({ state: 'completed' });
    expect(followed.output.toString()).toBe('attempt 1\nattempt 2\n');
    const seqs = followed.events.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, at) => at + 1));
    expect(followed.events).toContainEqual(
      expect.objectContaining({
        kind: 'state',
        state: 'queued',
        code: 'LOST',
        message: expect.stringContaining('attempt 2'),
      }),
    );
    expect(readFileSync(witness, 'utf8')).toBe('run\nrun\n');
    expect((await nodes.alpha.writ('verify', task)).code).toBe(0);
    expect(processesWith('sleep 28301')).toEqual([]);
  });
});
