import { pair } from '../../local-mesh/pair.ts';
import { ask, verdict } from '../ask.ts';
import { introduce } from '../stranger.ts';
import type { Step } from '../types.ts';

export const pairing: Step = {
  name: 'alpha joins beta, and beta joins gamma, through real invites',
  expected: 'same words on both sides, alpha knows beta, beta knows gamma',
  async run(stage) {
    const withBeta = await pair(
      stage.beta,
      stage.alpha,
      { profiles: ['query', 'repo-dev', 'system-change'], workspaces: ['app'] },
      stage.signal,
    );
    const withGamma = await pair(
      stage.gamma,
      stage.beta,
      { profiles: ['query', 'check', 'relay'], workspaces: ['app'] },
      stage.signal,
    );
    stage.show(`alpha and beta both read: ${withBeta.joinerWords}`);
    const same = [withBeta, withGamma].every(
      (paired) => paired.inviterWords !== '' && paired.inviterWords === paired.joinerWords,
    );
    return `${same ? 'same' : 'different'} words on both sides, alpha knows ${withBeta.label}, beta knows ${withGamma.label}`;
  },
};

export const stranger: Step = {
  name: 'a node that beta never paired with knocks',
  expected: 'refused PEER_UNKNOWN, beta has no task of it',
  async run(stage) {
    await introduce(stage.stranger, stage.beta);
    const before = await stage.beta.client().call('list_tasks', { side: 'executing' });
    let got: string;
    try {
      got = verdict(await ask(stage.stranger, { argv: ['true'], profile: 'query' }));
    } catch (error) {
      got = `refused ${(error as { code?: string }).code}`;
    }
    const after = await stage.beta.client().call('list_tasks', { side: 'executing' });
    return `${got.replace('deny', 'refused')}, beta has ${after.tasks.length === before.tasks.length ? 'no task' : 'a task'} of it`;
  },
};
