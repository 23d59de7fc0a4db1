import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createHarness } from '../testing/harness.ts';
import { makeRepository } from '../testing/repository.ts';

it('a task can commit without saying who it is, and what it says comes first', async () => {
  const harness = await createHarness();
  try {
    const path = makeRepository(join(harness.folder, 'source'), { 'file.txt': 'one\n' });
    const script = `git commit -q --allow-empty -m one && git config user.name me &&
      git commit -q --allow-empty -m two && git log -2 --format='%an <%ae>'`;
    const spec = harness.spec(['sh', '-c', script], { workspace: { name: 'app', path } });
    const email = `${spec.task}@writ.invalid`;
    const run = await harness.start(spec);
    await run.done;
    run.release();
    expect(await run.until('me <')).toBe(`me <${email}>\n${spec.runner.name} <${email}>\n`);
  } finally {
    await harness.close();
  }
});
