import { createSystemClock, nextTurn } from '@writ/core';
import { type CompileResult, compileConfig, testConfig } from '@writ/policy';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BuiltThread, buildPolicyThread } from '../testing/built-thread.ts';
import { createPolicyCompiler, type NodePolicyCompiler } from './policy-compiler.ts';

const HEAD = `schema = 1
[node]
name = "box"
[profiles.query]
capabilities = ["inspect_status"]
runner = "shell"
[self]
profiles = ["query"]
[[tests]]
from = "self"
profile = "query"
expect = "allow:query"
`;
const many = (below: (at: number) => string): string =>
  Array.from({ length: 1000 }, (_, at) => `[workspaces.w${at}]\n${below(at)}`).join('');
const LARGE = HEAD + many((at) => `path = "/srv/${at}"\n`);
const LARGE_BROKEN = HEAD + many((at) => `path = "/srv/${at}"\n${at % 100 === 0 ? 'paht = "x"\n' : ''}`);
const NO_THREAD = new URL('file:///no/such/thread.mjs');

let thread: BuiltThread;
let compiler: NodePolicyCompiler;
beforeAll(async () => {
  thread = await buildPolicyThread();
});
afterAll(() => thread.remove());
beforeEach(() => {
  compiler = createPolicyCompiler({ script: thread.script, clock: createSystemClock() });
});
afterEach(() => compiler.close());

/** All of a result that can be compared: places are what functions give. */
function plain(result: CompileResult): unknown {
  if (!result.ok) return result;
  const { index, ...policy } = result.policy;
  return { policy, places: ['workspaces.w999.path', 'self', 'node.gone'].map((path) => index.position(path)) };
}

describe('a large configuration', () => {
  it('comes to the same as in place', async () => {
    expect(plain(await compiler.compile(LARGE))).toEqual(plain(compileConfig(LARGE)));
  });

  it('has the same violations at the same places', async () => {
    const result = await compiler.compile(LARGE_BROKEN);
    expect(result).toEqual(compileConfig(LARGE_BROKEN));
    expect(result.ok ? [] : result.violations).toHaveLength(10);
    const torn = `${LARGE}[oops`;
    expect(await compiler.compile(torn)).toEqual(compileConfig(torn));
  });

  it('has its own tests run', async () => {
    expect(await compiler.test(LARGE)).toEqual(testConfig(LARGE));
    expect(await compiler.test(LARGE_BROKEN)).toEqual(testConfig(LARGE_BROKEN));
  });

  it('holds up nobody meanwhile', async () => {
    let isOver = false;
    const compiled = compiler.compile(LARGE).finally(() => {
      isOver = true;
    });
    let turns = 0;
    for (; !isOver; turns++) await nextTurn();
    expect((await compiled).ok).toBe(true);
    expect(turns).toBeGreaterThan(10);
  });

  it('several are worked on at once, each with its own result', async () => {
    const [fine, broken] = await Promise.all([compiler.compile(LARGE), compiler.compile(LARGE_BROKEN)]);
    expect([fine.ok, broken.ok]).toEqual([true, false]);
  });

  it('is a fault where the thread cannot do it, and no reason to stop', async () => {
    const broken = createPolicyCompiler({ script: NO_THREAD, clock: createSystemClock() });
    await expect(broken.compile(LARGE)).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining('could not be compiled'),
    });
    expect((await broken.compile(HEAD)).ok).toBe(true);
    await broken.close();
  });
});

describe('a small configuration', () => {
  it('needs no thread', async () => {
    const small = createPolicyCompiler({ script: NO_THREAD, clock: createSystemClock() });
    expect(plain(await small.compile(HEAD))).toEqual(plain(compileConfig(HEAD)));
    expect(await small.test(HEAD)).toEqual(testConfig(HEAD));
    await small.close();
  });
});

describe('a compiler that is closed', () => {
  it('ends what it is at, and leaves no thread', async () => {
    const before = threadPorts();
    const pending = compiler.compile(LARGE);
    const refused = expect(pending).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    await compiler.close();
    await refused;
    expect(threadPorts()).toBe(before);
  });

  it('begins nothing', async () => {
    await compiler.close();
    for (const text of [HEAD, LARGE]) {
      await expect(compiler.compile(text)).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
      await expect(compiler.test(text)).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    }
  });
});

/** Ends of channels to threads that this process has. */
function threadPorts(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'MessagePort' || resource === 'Worker')
    .length;
}
