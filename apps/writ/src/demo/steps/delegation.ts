import { ask, askAndFollow, follow, verdict } from '../ask.ts';
import { LIVE_COMMAND } from '../beta-config.ts';
import { processesWith } from '../processes.ts';
import type { Step } from '../types.ts';

/** Shortest time between the first line and the outcome of LIVE_COMMAND that proves streaming, milliseconds. */
const LIVE_MS = 200;
const WORK = { workspace: 'app', profile: 'repo-dev' } as const;

export const query: Step = {
  name: 'alpha asks beta for query work, and sees its output live',
  expected: 'completed as query/shell, live',
  async run(stage) {
    const history = await askAndFollow(stage, {
      argv: ['git', 'log', '--oneline', '-3'],
      profile: 'query',
      workspace: 'app',
    });
    const answer = await ask(stage.alpha, { argv: [...LIVE_COMMAND], profile: 'query', workspace: 'app' });
    if (!answer.accepted) return verdict(answer);
    const followed = await follow(stage, stage.alpha, answer.task);
    const live = followed.output === 'one\ntwo\n' && followed.liveForMs >= LIVE_MS;
    return followed.state === 'completed' ? `${history}, ${live ? 'live' : 'not live'}` : followed.state;
  },
};

export const unlisted: Step = {
  name: 'query may only run what beta lists for it',
  expected: 'failed COMMAND_NOT_ALLOWED as query/shell',
  run: (stage) => askAndFollow(stage, { argv: ['sh', '-c', 'id'], profile: 'query', workspace: 'app' }),
};

export const withoutLease: Step = {
  name: 'alpha asks for repo-dev without a lease',
  expected: 'deny LEASE_REQUIRED, and what would help',
  async run(stage) {
    const answer = await ask(stage.alpha, { ...WORK, argv: ['node', '--test'] });
    for (const next of answer.decided?.next_steps ?? []) stage.show(`→ ${next}`);
    return `${verdict(answer)}${(answer.decided?.next_steps.length ?? 0) > 0 ? ', and what would help' : ''}`;
  },
};

export const withLease: Step = {
  name: 'a person at beta lends repo-dev to alpha, and it runs',
  expected: 'completed as repo-dev/shell',
  async run(stage) {
    const lease = await stage.beta.person().lend({ peer: 'alpha', profile: 'repo-dev', duration: '1h' });
    stage.leaseId = lease.id;
    return askAndFollow(stage, { ...WORK, argv: ['sh', '-c', 'git rev-parse --short HEAD && ls'] });
  },
};

export const ceiling: Step = {
  name: 'alpha asks for system-change: beta cuts it down to repo-dev, with the runner of repo-dev',
  expected: 'completed as repo-dev/shell',
  run: (stage) => askAndFollow(stage, { argv: ['true'], profile: 'system-change', workspace: 'app' }),
};

export const revoke: Step = {
  name: 'the lease is taken back while work runs under it',
  expected: 'failed LEASE_REVOKED, next deny LEASE_REQUIRED, 0 processes left',
  async run(stage) {
    const mark = 'sleep 31557';
    const answer = await ask(stage.alpha, { ...WORK, argv: ['sh', '-c', `echo working; exec ${mark}`] });
    if (!answer.accepted) return verdict(answer);
    const followed = await follow(stage, stage.alpha, answer.task, async () => {
      await stage.beta.client().call('lease_revoke', { lease: stage.leaseId });
    });
    const next = await ask(stage.alpha, { ...WORK, argv: ['true'] });
    const left = processesWith('31557', stage.dir).length;
    return `${followed.state} ${followed.code}, next ${verdict(next)}, ${left} processes left`;
  },
};

export const cancel: Step = {
  name: 'alpha cancels a task whose child ignores TERM and made a session of its own',
  expected: 'cancelled, 0 processes left',
  async run(stage) {
    const lease = await stage.beta.person().lend({ peer: 'alpha', profile: 'repo-dev', duration: '1h' });
    stage.leaseId = lease.id;
    const stubborn = `trap '' TERM; setsid sh -c 'trap "" TERM; while :; do sleep 27182; done' & echo started; while :; do sleep 27182; done`;
    const answer = await ask(stage.alpha, { ...WORK, argv: ['sh', '-c', stubborn] });
    if (!answer.accepted) return verdict(answer);
    const followed = await follow(stage, stage.alpha, answer.task, async () => {
      await stage.alpha.client().call('cancel', { task: answer.task });
    });
    return `${followed.state}, ${processesWith('27182', stage.dir).length} processes left`;
  },
};
