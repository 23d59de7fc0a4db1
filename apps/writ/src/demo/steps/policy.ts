import { readFileSync } from 'node:fs';
import { createSystemRandom, replacePrivateFile, sleep } from '@writ/core';
import type { OperationOutput } from '@writ/gateway/client';
import { ask, verdict } from '../ask.ts';
import type { Stage, Step } from '../types.ts';

type Status = OperationOutput<'policy_status'>;

/** How long the watcher may take to see a change, milliseconds. */
const WATCH_LIMIT_MS = 5000;

/** Waits until beta's policy status fulfils `wanted`. */
async function betaStatus(stage: Stage, wanted: (status: Status) => boolean): Promise<Status> {
  const startedMs = stage.clock.monotonicMs();
  for (;;) {
    const status = await stage.beta.client().call('policy_status', {});
    if (wanted(status) || stage.clock.monotonicMs() - startedMs > WATCH_LIMIT_MS) return status;
    await sleep(5);
  }
}

const rewrite = (stage: Stage, change: (text: string) => string): Promise<void> =>
  replacePrivateFile(
    stage.beta.home.configFile,
    change(readFileSync(stage.beta.home.configFile, 'utf8')),
    createSystemRandom(),
  );

export const reload: Step = {
  name: "beta's writ.toml changes while everything runs: alpha may no longer ask for query",
  expected: 'deny PROFILE_NOT_ALLOWED on the mesh and in explain, same generation, same process',
  async run(stage) {
    const pid = stage.beta.pid();
    const before = await stage.beta.client().call('policy_status', {});
    await rewrite(stage, (text) =>
      text.replace('profiles = ["query", "repo-dev", "system-change"]', 'profiles = ["repo-dev", "system-change"]'),
    );
    await betaStatus(stage, (status) => status.generation > before.generation);
    const answer = await ask(stage.alpha, { argv: ['true'], profile: 'query', workspace: 'app' });
    const why = await stage.beta.client().call('policy_explain', { from: 'alpha', profile: 'query', workspace: 'app' });
    const both =
      why.code === answer.decided?.code ? 'on the mesh and in explain' : `on the mesh, ${why.code} in explain`;
    const generation = why.generation === answer.decided?.generation ? 'same generation' : 'another generation';
    return `${verdict(answer)} ${both}, ${generation}, ${stage.beta.pid() === pid ? 'same' : 'another'} process`;
  },
};

export const broken: Step = {
  name: 'a broken writ.toml changes nothing, and is reported with its lines',
  expected: 'the last good generation decides, 2 violations reported with lines',
  async run(stage) {
    const good = readFileSync(stage.beta.home.configFile, 'utf8');
    const before = await stage.beta.client().call('policy_status', {});
    await rewrite(stage, (text) =>
      text.replace('runner = "operator"', 'runner = "nobody"').replace('timeout = "5m"', 'timeout = "soon"'),
    );
    const after = await betaStatus(stage, (status) => status.last_error !== undefined);
    for (const v of after.last_error?.violations ?? []) stage.show(`writ.toml:${v.line} ${v.code} ${v.path}`);
    const answer = await ask(stage.alpha, { argv: ['true'], profile: 'query', workspace: 'app' });
    const kept = after.generation === before.generation && answer.decided?.generation === before.generation;
    const lines = (after.last_error?.violations ?? []).filter((v) => v.line !== undefined).length;
    await rewrite(stage, () => good);
    await betaStatus(stage, (status) => status.last_error === undefined);
    return `${kept ? 'the last good generation decides' : 'the generation moved'}, ${lines} violations reported with lines`;
  },
};
