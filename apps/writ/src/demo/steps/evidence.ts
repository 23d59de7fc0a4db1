import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WritError } from '@writ/core';
import { ask, follow, verdict } from '../ask.ts';
import { gitFor } from '../repository.ts';
import type { Stage, Step } from '../types.ts';
import { writLine } from '../writ-command.ts';

const WORK = { workspace: 'app', profile: 'repo-dev' } as const;

export const mend: Step = {
  name: 'a scripted agent at beta mends the failing test, and has gamma run the tests on its work, with less authority',
  expected: 'completed, the tests at gamma completed as check/shell, its work went along',
  async run(stage) {
    const { script, test } = stage.mend;
    const onward = writLine('delegate', '--peer', 'gamma', '--profile', 'check', '-w', 'app', '--ship', '--', ...test);
    const answer = await ask(stage.alpha, { ...WORK, argv: ['sh', '-ec', `${script}\n${onward}`] });
    if (!answer.accepted) return verdict(answer);
    const followed = await follow(stage, stage.alpha, answer.task);
    stage.mended = answer.task;
    const { tasks } = await stage.gamma.client().call('list_tasks', { side: 'executing', peer: 'beta', limit: 1 });
    const child = await stage.gamma.client().call('task_show', { task: tasks[0]?.task ?? '' });
    const granted = child.granted;
    return [
      followed.state,
      `the tests at gamma ${child.state} as ${granted?.effective_profile}/${granted?.effective_runner}`,
      child.shipped === undefined ? 'nothing went along' : 'its work went along',
    ].join(', ');
  },
};

export const verified: Step = {
  name: 'alpha verifies what came back: the result of beta, and the one of gamma that is nested in it',
  expected: 'pinned, 1 file changed, gamma vouched for in 1 nested result',
  async run(stage) {
    const client = stage.alpha.client();
    const { standing, checked } = await client.call('verify_result', { task: stage.mended });
    for (const what of checked) stage.show(`✓ ${what}`);
    const { changes, nested } = await client.call('result', { task: stage.mended });
    const files = changes.file_count === 1 ? '1 file' : `${changes.file_count} files`;
    const signers = nested.map(({ node }) => node);
    const { id } = await stage.gamma.client().call('node_status', {});
    const bySame = signers.length > 0 && signers.every((signer) => signer === id);
    const nestedText = nested.length === 1 ? '1 nested result' : `${nested.length} nested results`;
    return `${standing}, ${files} changed, ${bySame ? 'gamma' : 'somebody else'} vouched for in ${nestedText}`;
  },
};

export const applied: Step = {
  name: "alpha makes a branch of it in a clone of its own, and the tests pass there; the clone's files stay as they were",
  expected: 'applied, ahead, tests pass on the branch, working tree untouched',
  async run(stage) {
    const git = gitFor(stage.environment, stage.dir);
    const own = join(stage.dir, 'alpha-clone');
    git('clone', '--quiet', '--', stage.repo, own);
    const applying = { task: stage.mended, repository: own };
    const { kind, branch = '', fit } = await stage.alpha.client().call('apply_result', applying);
    const untouched =
      git('-C', own, 'status', '--porcelain') === '' && git('-C', own, 'branch', '--show-current') !== branch;
    const before = passes(stage, own);
    git('-C', own, 'switch', '--quiet', branch);
    const after = passes(stage, own);
    const asMeant = after && before === !stage.mend.failsBefore;
    return [
      kind,
      fit,
      `tests ${asMeant ? 'pass' : 'do not pass'} on the branch`,
      `working tree ${untouched ? 'untouched' : 'changed'}`,
    ].join(', ');
  },
};

/** Whether the tests pass in `dir`. */
function passes({ mend: { test }, environment }: Stage, dir: string): boolean {
  const [program = '', ...args] = test;
  const { PATH } = environment.all;
  return spawnSync(program, args, { cwd: dir, env: { PATH, HOME: dir }, stdio: 'ignore' }).status === 0;
}

export const flipped: Step = {
  name: 'one bit of the bundle that alpha keeps is flipped',
  expected: 'verify EVIDENCE_INVALID, apply EVIDENCE_INVALID; as it was: verified',
  async run(stage) {
    const client = stage.alpha.client();
    const { changes } = await client.call('result', { task: stage.mended });
    const digest = changes.bundle_sha256 ?? '';
    const file = join(stage.alpha.home.evidenceDir, 'content', digest.slice(0, 2), digest);
    const good = readFileSync(file);
    const bad = Buffer.from(good);
    bad.writeUInt8(bad.readUInt8(bad.length >> 1) ^ 1, bad.length >> 1);
    writeFileSync(file, bad);
    const verify = await codeOf(client.call('verify_result', { task: stage.mended }));
    const apply = await codeOf(
      client.call('apply_result', { task: stage.mended, repository: join(stage.dir, 'alpha-clone') }),
    );
    writeFileSync(file, good);
    const again = await codeOf(client.call('verify_result', { task: stage.mended }));
    return `verify ${verify}, apply ${apply}; as it was: ${again === 'fine' ? 'verified' : again}`;
  },
};

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'fine';
  } catch (error) {
    return error instanceof WritError ? error.code : String(error);
  }
}
