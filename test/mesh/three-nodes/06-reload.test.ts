import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import {
  ask,
  processesWith,
  startThreeNodes,
  submit,
  type ThreeNodes,
  until,
  untilFinished,
  untilOutput,
} from '@writ/testkit/mesh';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

let nodes: ThreeNodes;
let good: string;
let pid: number | undefined;
beforeAll(async () => {
  nodes = await startThreeNodes({ commands: [['sleep', '*']] });
  good = nodes.beta.config();
  pid = nodes.beta.pid();
}, 120_000);
afterAll(() => nodes.mesh.close(), 60_000);
afterEach(async () => {
  await nodes.beta.configure(good);
  // Whatever happened to the configuration, it was one process all the time.
  expect(nodes.beta.pid()).toBe(pid);
});

/** Alpha may no longer ask for query. The first such line is alpha's, the first to be paired. */
const WITHOUT_QUERY = (text: string): string =>
  text.replace('profiles = ["query", "repo-dev", "system-change"]', 'profiles = ["repo-dev", "system-change"]');

const generation = async (): Promise<number> => (await nodes.beta.client().call('policy_status', {})).generation;
const untilGeneration = (after: number): Promise<number> =>
  until('another generation', async () => {
    const now = await generation();
    return now > after ? now : undefined;
  });

/** The mesh and the gateway of beta say the same about alpha's query. */
async function expectBoth(code: string): Promise<void> {
  const answer = await ask(nodes.alpha, { argv: ['true'] });
  const why = await nodes.beta.writ('policy', 'explain', '--from', 'alpha', '--profile', 'query', '--json');
  expect(why.json).toMatchObject({ code, effect: code === 'OK' ? 'allow' : 'deny' });
  expect(why.code).toBe(code === 'OK' ? 0 : 3);
  if (code === 'OK') expect(answer.accepted).toBe(true);
  else expect(answer).toMatchObject({ accepted: false, decided: { by: 'peer', code } });
  if (answer.decided !== undefined) expect(why.json).toMatchObject({ generation: answer.decided.generation });
}

describe('a configuration that changes while everything runs', () => {
  it('is in force after an atomic rename, for the mesh and the gateway alike', async () => {
    await expectBoth('OK');
    const before = await generation();
    expect(WITHOUT_QUERY(good)).not.toBe(good);
    nodes.beta.replaceConfig(WITHOUT_QUERY(good));
    await untilGeneration(before);
    await expectBoth('PROFILE_NOT_ALLOWED');
    // The other peer's rules did not change.
    expect((await ask(nodes.gamma, { argv: ['true'] })).accepted).toBe(true);
  });

  it('is in force after it was written in place, and half of it never is', async () => {
    const before = await generation();
    const text = WITHOUT_QUERY(good);
    const half = text.slice(0, text.indexOf('[profiles.repo-dev]') + 40);
    writeFileSync(nodes.beta.configFile, half);
    const broken = await until('the half is reported', async () => {
      const status = await nodes.beta.client().call('policy_status', {});
      return status.last_error === undefined ? undefined : status;
    });
    expect(broken.generation).toBe(before);
    expect((await ask(nodes.alpha, { argv: ['true'] })).accepted).toBe(true);
    writeFileSync(nodes.beta.configFile, text.slice(half.length), { flag: 'a' });
    await untilGeneration(before);
    await expectBoth('PROFILE_NOT_ALLOWED');
  });

  it('is in force as it stands last after a burst of writes', async () => {
    const before = await generation();
    for (let at = 0; at < 40; at++) {
      const text = at % 2 === 0 ? WITHOUT_QUERY(good) : `${good}\n# ${at}\n`;
      if (at % 3 === 0) writeFileSync(nodes.beta.configFile, text);
      else nodes.beta.replaceConfig(text);
    }
    nodes.beta.replaceConfig(`${WITHOUT_QUERY(good)}\n# the last\n`);
    await untilGeneration(before);
    const last = createHash('sha256').update(readFileSync(nodes.beta.configFile)).digest('hex');
    await until('the last text is in force', async () => {
      const { digest } = await nodes.beta.client().call('policy_status', {});
      return digest === last || undefined;
    });
    await expectBoth('PROFILE_NOT_ALLOWED');
  });

  it('ends what runs under what it takes away, and nothing else', async () => {
    const [mine, other] = [
      await submit(nodes.alpha, { argv: ['sleep', '16180'] }),
      await submit(nodes.gamma, { argv: ['sleep', '16181'] }),
    ];
    await until('both sleep', () => processesWith('sleep 1618').length === 2);
    await nodes.beta.configure(WITHOUT_QUERY(good));
    expect(await untilFinished(nodes.alpha, mine)).toMatchObject({ state: 'failed', code: 'PROFILE_NOT_ALLOWED' });
    expect(processesWith('sleep 16180')).toEqual([]);
    expect(await nodes.gamma.client().call('status', { task: other })).toMatchObject({ state: 'running' });
    await nodes.gamma.client().call('cancel', { task: other });
  });

  it('that gives somebody more waits for a person', async () => {
    const lines = 'profiles = ["query", "repo-dev", "system-change"]';
    const narrow = good.replace(lines, 'profiles = ["query"]');
    await nodes.beta.configure(narrow);
    const before = await generation();
    nodes.beta.replaceConfig(good);
    await until('the widening waits', async () => {
      const { parked } = await nodes.beta.client().call('policy_status', {});
      return parked.length > 0 || undefined;
    });
    const wish = { argv: ['true'], profile: 'repo-dev', workspace: 'app' };
    // Not even a lease helps before a person has said yes.
    await nodes.beta
      .client()
      .call('lease_grant', { peer: 'alpha', profile: 'repo-dev', duration: '1h' })
      .catch(() => undefined);
    expect(await ask(nodes.alpha, wish)).toMatchObject({ accepted: false, decided: { by: 'peer', effect: 'deny' } });
    expect(await nodes.beta.writ('policy', 'reload', '--json')).toMatchObject({ code: 4 });
    expect(await nodes.beta.writ('policy', 'reload', '--accept', '--json')).toMatchObject({
      code: 0,
      json: { reloaded: true, parked: [] },
    });
    expect(await generation()).toBeGreaterThan(before);
    await nodes.beta.client().call('lease_grant', { peer: 'alpha', profile: 'repo-dev', duration: '1h' });
    expect(await ask(nodes.alpha, wish)).toMatchObject({ accepted: true });
  });
});

describe('a configuration with five mistakes', () => {
  const FIVE = (text: string): string =>
    text
      .replace('timeout = "5m"', 'timeout = "soon"')
      .replace('runner = "operator"', 'runner = "nobody"')
      .replace('default_profile = "query"', 'default_profile = "nothing"')
      .replace('"manage_services"', '"manage_everything"')
      .replace('[profile_ceilings]', 'colour = "red"\n\n[profile_ceilings]');

  it('changes nothing, and every mistake is shown with its line', async () => {
    const before = await generation();
    const text = FIVE(good);
    nodes.beta.replaceConfig(text);
    const status = await until('the mistakes are reported', async () => {
      const now = await nodes.beta.client().call('policy_status', {});
      return now.last_error === undefined ? undefined : now;
    });
    expect(status.generation).toBe(before);
    const lineOf = (mark: string): number => text.split('\n').findIndex((line) => line.includes(mark)) + 1;
    const places = (status.last_error?.violations ?? []).map(({ code, line }) => `${line} ${code}`);
    expect(places.sort()).toEqual(
      [
        `${lineOf('"soon"')} BAD_VALUE`,
        `${lineOf('runner = "nobody"')} UNKNOWN_RUNNER`,
        `${lineOf('"nothing"')} UNKNOWN_PROFILE`,
        `${lineOf('manage_everything')} UNKNOWN_CAPABILITY`,
        `${lineOf('colour')} UNKNOWN_KEY`,
      ].sort(),
    );
    await expectBoth('OK');
    // The same from every command that looks at it.
    for (const argv of [
      ['policy', 'validate'],
      ['policy', 'reload'],
    ]) {
      const done = await nodes.beta.writ(...argv);
      expect(done.code, argv.join(' ')).toBe(2);
      for (const mark of ['"soon"', 'runner = "nobody"', '"nothing"', 'manage_everything', 'colour']) {
        expect(done.stdout, `${argv.join(' ')}: ${mark}`).toContain(`:${lineOf(mark)}:`);
      }
    }
    expect((await nodes.beta.writ('status')).stdout).toContain('the last reload failed');
    expect((await nodes.beta.writ('policy', 'status', '--json')).json).toMatchObject({ generation: before });
  });
});

describe('a configuration that is gone', () => {
  it('changes nothing', async () => {
    const before = await generation();
    rmSync(nodes.beta.configFile);
    const reload = await nodes.beta.writ('policy', 'reload', '--json');
    expect(reload.code).toBe(2);
    expect(await generation()).toBe(before);
    expect((await ask(nodes.alpha, { argv: ['true'] })).accepted).toBe(true);
    nodes.beta.replaceConfig(good);
  });
});

it('keeps the lease of a task through a reload that has nothing to do with it', async () => {
  await nodes.beta.client().call('lease_grant', { peer: 'alpha', profile: 'repo-dev', duration: '1h' });
  const task = await submit(nodes.alpha, {
    argv: ['sh', '-c', 'echo up; sleep 16182'],
    profile: 'repo-dev',
    workspace: 'app',
  });
  await untilOutput(nodes.alpha, task, 'up');
  await nodes.beta.configure(`${good}\n# a remark\n`);
  expect(await nodes.alpha.client().call('status', { task })).toMatchObject({ state: 'running' });
  await nodes.alpha.client().call('cancel', { task });
});
