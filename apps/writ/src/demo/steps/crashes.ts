import { ask, follow, verdict } from '../ask.ts';
import { processesWith } from '../processes.ts';
import type { Step } from '../types.ts';

const WORK = { workspace: 'app', profile: 'repo-dev' } as const;

export const executorKilled: Step = {
  name: 'beta is killed with kill -9 in the middle of a task, and started again',
  expected: 'lost LOST at alpha and at beta, 0 processes left',
  async run(stage) {
    const answer = await ask(stage.alpha, { ...WORK, argv: ['sh', '-c', 'echo working; sleep 27183 & wait'] });
    if (!answer.accepted) return verdict(answer);
    const followed = await follow(stage, stage.alpha, answer.task, async () => {
      await stage.beta.kill();
      await stage.beta.start();
    });
    const there = await stage.beta.client().call('status', { task: answer.task });
    const both = there.state === followed.state ? 'at alpha and at beta' : `at alpha, ${there.state} at beta`;
    return `${followed.state} ${followed.code} ${both}, ${processesWith('27183', stage.dir).length} processes left`;
  },
};

export const originKilled: Step = {
  name: 'alpha is killed with kill -9 while its task runs at beta, and started again',
  expected: 'completed, output whole, result pinned',
  async run(stage) {
    const argv = ['sh', '-c', 'echo one; sleep 1; echo two'];
    const answer = await ask(stage.alpha, { ...WORK, argv });
    if (!answer.accepted) return verdict(answer);
    await follow(stage, stage.beta, answer.task, async () => {
      await stage.alpha.kill();
    });
    await stage.alpha.start();
    const followed = await follow(stage, stage.alpha, answer.task);
    const { standing } = await stage.alpha.client().call('result', { task: answer.task });
    const whole = followed.output === 'one\ntwo\n' ? 'whole' : 'broken';
    return `${followed.state}, output ${whole}, result ${standing}`;
  },
};
