import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlClient, OperationOutput } from '@writ/gateway/client';
import { startSession } from '../session.ts';
import type { Stage, Step } from '../types.ts';

type Command = NonNullable<OperationOutput<'run'>['command']>;

const UNDER = { to: 'self', profile: 'operate', workspace: 'app' } as const;
/** Longest that the demo waits for a command, seconds. */
const WAIT_SECONDS = 20;

/** A folder of beta's machine that its agent is to change. */
function placeOf({ dir }: Stage, name: string): string {
  const folder = join(dir, 'machine');
  mkdirSync(folder, { recursive: true });
  return join(folder, name);
}

async function ask(agent: ControlClient, ...argv: string[]): Promise<Command> {
  const { command, decided } = await agent.call('run', { ...UNDER, argv });
  if (command === undefined) throw new Error(`${decided?.code}: ${decided?.message}`);
  return command;
}

const ended = (agent: ControlClient, { execution }: Command): Promise<OperationOutput<'execution'>> =>
  agent.call('execution', { execution, wait_seconds: WAIT_SECONDS });

export const planned: Step = {
  name: 'an agent of beta works in two sessions; its plan is approved for the first, and both make the same kind of change',
  expected: 'A completed under the window, B pending_approval; 1 window is open',
  async run(stage) {
    const { beta } = stage;
    await beta.person().lend({ peer: 'self', profile: 'operate', duration: '1h' });
    const a = await startSession(beta, 'operator');
    const b = await startSession(beta, 'operator');
    stage.operator = a;
    const argv = ['mkdir', placeOf(stage, 'one')];
    const steps = [{ argv }, { argv: ['mkdir', placeOf(stage, 'two')] }];
    const plan = await a.call('propose_plan', { ...UNDER, title: 'two folders', steps, only_steps: true });
    for (const { work, class: is } of plan.steps ?? []) stage.show(`${is}: ${work}`);
    if (plan.approval === undefined) throw new Error(`${plan.decided?.code}: ${plan.decided?.message}`);
    await beta.person().approve(plan.approval, 'session');
    const mine = await ended(a, await ask(a, ...argv));
    const theirs = await ask(b, 'mkdir', placeOf(stage, 'two'));
    stage.show(theirs.why);
    // What the table says, and not only what was answered.
    const { executions } = await beta.client().call('list_executions', {});
    const stateOf = (id: string): string | undefined => executions.find(({ execution }) => execution === id)?.state;
    const { windows } = await beta.client().call('window_list', {});
    await b.call('session_end', {});
    const under = mine.window === windows[0]?.id ? ' under the window' : '';
    return `A ${stateOf(mine.execution)}${under}, B ${stateOf(theirs.execution)}; ${windows.length} window is open`;
  },
};

export const destroyed: Step = {
  name: 'it removes what it made: that is destructive and asks again, and the yes is for its own target',
  expected: 'pending_approval, then completed; the same again completed unasked; another pending_approval',
  async run(stage) {
    const agent = stage.operator;
    if (agent === undefined) throw new Error('there is no session');
    const [one, other] = [placeOf(stage, 'one'), placeOf(stage, 'other')];
    mkdirSync(other);
    const first = await ask(agent, 'rm', '-r', one);
    await stage.beta.person().approve(first.approval ?? '', 'target');
    const removed = await ended(agent, first);
    await ended(agent, await ask(agent, 'mkdir', one));
    const again = await ended(agent, await ask(agent, 'rm', '-r', one));
    const unasked = again.approval === undefined ? ' unasked' : '';
    const elsewhere = await ask(agent, 'rm', '-r', other);
    await agent.call('execution_cancel', { execution: elsewhere.execution });
    const gone = existsSync(one) ? ', and it is still there' : '';
    return `${first.state}, then ${removed.state}; the same again ${again.state}${unasked}; another ${elsewhere.state}${gone}`;
  },
};

export const edited: Step = {
  name: 'a script is edited between the question and the yes',
  expected: 'CHANGED_SINCE_APPROVAL, asked for anew, and nothing ran',
  async run(stage) {
    const agent = stage.operator;
    if (agent === undefined) throw new Error('there is no session');
    const [script, mark] = [placeOf(stage, 'deploy.sh'), placeOf(stage, 'mark')];
    writeFileSync(script, '#!/bin/sh\ntrue\n', { mode: 0o755 });
    const asked = await ask(agent, script);
    writeFileSync(script, `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    await stage.beta.person().approve(asked.approval ?? '');
    const { code, next } = await ended(agent, asked);
    const anew = next === undefined ? 'not asked for again' : 'asked for anew';
    await agent.call('session_end', {});
    return `${code}, ${anew}, and ${existsSync(mark) ? 'it ran' : 'nothing ran'}`;
  },
};
