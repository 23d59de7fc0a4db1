import { copyFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isWritError } from '@writ/core';
import { startThreeNodes, submit, type ThreeNodes, until, untilFinished } from '@writ/testkit/mesh';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let nodes: ThreeNodes;
beforeAll(async () => {
  nodes = await startThreeNodes();
}, 120_000);
afterAll(() => nodes.mesh.close(), 60_000);

const logOf = (home: string): string => join(home, 'audit');

/** Asks for work as soon as the other node, which may have been killed just now, is reached. */
const work = (): Promise<string> =>
  until('beta is reached', () =>
    submit(nodes.alpha, { profile: 'query', argv: ['true'] }).catch((error: unknown) => {
      if (isWritError(error, 'UNREACHABLE')) return undefined;
      throw error;
    }),
  );

describe('the audit log of nodes that are killed', () => {
  it('is whole after each kill -9, goes on, and still begins with what it was', async () => {
    const kept = join(nodes.mesh.dir, 'kept-checkpoint');
    for (let kill = 0; kill < 3; kill++) {
      await untilFinished(nodes.alpha, await work());
      const asked = await nodes.beta.writ('audit', 'export', '--only-checkpoint', '--json');
      expect(asked.json).toMatchObject({ checkpoint: expect.stringMatching(/^wn-/) });
      copyFileSync(join(logOf(nodes.beta.home), 'checkpoint'), kept);
      // More happens, and is written or not when the node is gone.
      await work();
      await nodes.beta.kill();
      const beside = await nodes.beta.writ('audit', 'verify', '--checkpoint', kept, '--json');
      expect(beside).toMatchObject({ code: 0, json: { ok: true, kept: [{ holds: true }] } });
      await nodes.beta.up();
      // What happens while it is looked at may stand in no file yet.
      const report = await until('the files hold all rows', async () => {
        const looked = await nodes.beta.writ('audit', 'verify', '--checkpoint', kept, '--json');
        return JSON.stringify(looked.json).includes('not in the file yet') ? undefined : looked;
      });
      expect(report).toMatchObject({ code: 0, json: { ok: true, notes: [], kept: [{ holds: true }] } });
    }
    const dir = logOf(nodes.beta.home);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o777, name).toBe(0o600);
  }, 120_000);

  it('holds what was asked at one end and what was done at the other', async () => {
    const task = await work();
    await untilFinished(nodes.alpha, task);
    const actions = async (at: 'alpha' | 'beta'): Promise<readonly string[]> => {
      const { stdout } = await nodes[at].writ('audit', 'tail', '--lines', '1000', '--no-follow', '--json');
      const entries = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { action: string; subject?: string });
      return entries.filter(({ subject }) => subject === task).map(({ action }) => action);
    };
    expect(await actions('alpha')).toEqual(['mirror.submitted', 'mirror.completed']);
    expect(await actions('beta')).toEqual(expect.arrayContaining(['task.running', 'task.completed']));
  });
});
