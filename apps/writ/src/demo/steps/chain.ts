import { readFileSync } from 'node:fs';
import { createSystemRandom, replacePrivateFile, sleep } from '@writ/core';
import type { OperationOutput } from '@writ/gateway/client';
import { drawChain } from '../../cli/chain-drawing.ts';
import type { LocalNode } from '../../local-mesh/local-node.ts';
import { pair } from '../../local-mesh/pair.ts';
import { ask, follow, verdict } from '../ask.ts';
import { HANDED_ON_SLEEP } from '../gamma-config.ts';
import { processesWith } from '../processes.ts';
import type { Stage, Step } from '../types.ts';
import { writCommand, writLine } from '../writ-command.ts';

type Task = OperationOutput<'list_tasks'>['tasks'][number];
type Shown = OperationOutput<'task_show'>;

const WORK = { workspace: 'app', profile: 'repo-dev' } as const;

/** Adds lines to the table of a peer, and loads the file as a person does. */
async function extendPeer(node: LocalNode, label: string, lines: string): Promise<void> {
  const text = readFileSync(node.home.configFile, 'utf8');
  const changed = text.replace(`[peers.${label}]`, `[peers.${label}]\n${lines}`);
  await replacePrivateFile(node.home.configFile, changed, createSystemRandom());
  await node.person().acceptPolicy();
}

/** Lets the node send working trees to a peer; the table is there since the pairing. */
async function mayShip(node: LocalNode, label: string): Promise<void> {
  const text = readFileSync(node.home.configFile, 'utf8');
  const changed = text.replace(`[peers.${label}.outbound]`, `[peers.${label}.outbound]\nship = true`);
  await replacePrivateFile(node.home.configFile, changed, createSystemRandom());
  await node.person().acceptPolicy();
}

/** The newest task that `node` asked of `peer`. */
async function newestAsked(node: LocalNode, peer: string): Promise<Task | undefined> {
  const { tasks } = await node.client().call('list_tasks', { side: 'asked', peer, limit: 1 });
  return tasks[0];
}

const show = (node: LocalNode, task: string): Promise<Shown> => node.client().call('task_show', { task });

export const mayGoOn: Step = {
  name: "persons let alpha's work go on: beta to gamma, gamma to nobody that was there; gamma joins alpha too",
  expected: "gamma knows alpha, and takes alpha's work from beta",
  async run(stage) {
    const { label } = await pair(stage.alpha, stage.gamma, { profiles: ['query'], workspaces: [] }, stage.signal);
    await extendPeer(stage.beta, 'alpha', 'max_depth = 2');
    await mayShip(stage.beta, 'gamma');
    await extendPeer(stage.gamma, 'beta', 'max_depth = 1\naccept_origins = ["alpha"]');
    const beta = await stage.gamma.client().call('peer_show', { peer: 'beta' });
    return `gamma knows ${label}, and takes alpha's work from ${beta.label}`;
  },
};

export const handOn: Step = {
  name: "a scripted agent inside alpha's task at beta hands part of it to gamma, with less authority",
  expected: 'completed with the output of gamma, 2 hops at gamma, same session, smaller grant',
  async run(stage) {
    const argv = [...writCommand('delegate', '--peer', 'gamma', '--profile', 'query', '--', 'uname', '-s')];
    const answer = await ask(stage.alpha, { ...WORK, argv });
    if (!answer.accepted) return verdict(answer);
    const followed = await follow(stage, stage.alpha, answer.task);
    const child = await newestAsked(stage.beta, 'gamma');
    if (child === undefined) return `${followed.state}, nothing was handed on`;
    const [atAlpha, atGamma] = await Promise.all([show(stage.alpha, answer.task), show(stage.gamma, child.task)]);
    for (const line of drawChain(atGamma).split('\n')) stage.show(line);
    const told = followed.output.includes('Linux') || followed.output.includes('Darwin');
    const lost = atGamma.hops.at(-1)?.took_away;
    return [
      `${followed.state} ${told ? 'with' : 'without'} the output of gamma`,
      `${atGamma.hops.length} hops at gamma`,
      atGamma.session === atAlpha.session ? 'same session' : 'another session',
      lost !== undefined && lost.capabilities.length > 0 && lost.depth > 0 ? 'smaller grant' : 'no smaller grant',
    ].join(', ');
  },
};

export const circle: Step = {
  name: 'gamma, asked by beta in turn, tries to hand the work back to alpha',
  expected: 'refused CHAIN_CYCLE at gamma, alpha has no task of it',
  async run(stage) {
    const lent = { peer: 'beta', profile: 'relay', duration: '1h', origin: 'alpha' };
    await stage.gamma.person().lend(lent);
    const back = writCommand('delegate', '--peer', 'alpha', '--profile', 'query', '--', 'true');
    const argv = [...writCommand('delegate', '--peer', 'gamma', '--profile', 'relay', '--', ...back)];
    const answer = await ask(stage.alpha, { ...WORK, argv });
    if (!answer.accepted) return verdict(answer);
    await follow(stage, stage.alpha, answer.task);
    const tried = await newestAsked(stage.gamma, 'alpha');
    const { tasks } = await stage.alpha.client().call('list_tasks', { side: 'executing' });
    return `refused ${tried?.outcome?.code ?? 'never tried'} at gamma, alpha has ${tasks.length === 0 ? 'no task' : 'a task'} of it`;
  },
};

/** In a sandbox a socket of another node is not there; elsewhere that node takes no token of a task. */
const OUT_OF_REACH = new Set(['NOT_RUNNING', 'TOKEN_INVALID']);

export const confined: Step = {
  name: "the token of beta's task tries another session's task, what only persons may, and alpha",
  expected: 'its own task seen, another task NOT_FOUND, lease NOT_FOUND, alpha out of reach',
  async run(stage) {
    const { tasks } = await stage.beta.client().call('list_tasks', { side: 'executing', peer: 'alpha', limit: 1 });
    const other = tasks[0]?.task ?? '';
    const home = stage.beta.home.root;
    const script = [
      `${writLine('--json', 'task', 'list')}`,
      `${writLine('--json', 'task', 'cancel', other)}`,
      `${writLine('--json', '--home', home, 'lease', 'list')}`,
      `export WRIT_TASK_SOCKET='${stage.alpha.home.socketFile}'`,
      `${writLine('--json', 'task', 'list')}`,
      'true',
    ].join('\n');
    const answer = await ask(stage.alpha, { ...WORK, argv: ['sh', '-c', script] });
    if (!answer.accepted) return verdict(answer);
    const { output } = await follow({ ...stage, show: () => undefined }, stage.alpha, answer.task);
    const said = output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { tasks?: readonly Task[]; error?: { code: string } });
    const [listed, foreign, lease, alpha] = said;
    const own = listed?.tasks?.map(({ task }) => task).join() === answer.task;
    const code = (item: (typeof said)[number] | undefined): string => item?.error?.code ?? 'allowed';
    return `its own task ${own ? 'seen' : 'not alone'}, another task ${code(foreign)}, lease ${code(lease)}, alpha ${OUT_OF_REACH.has(code(alpha)) ? 'out of reach' : code(alpha)}`;
  },
};

export const cancelDown: Step = {
  name: 'alpha cancels a task at beta while what it handed on runs at gamma',
  expected: 'cancelled, at gamma cancelled, 0 processes left',
  async run(stage) {
    const onward = writLine('delegate', '--peer', 'gamma', '--profile', 'query', '--', ...HANDED_ON_SLEEP);
    const answer = await ask(stage.alpha, { ...WORK, argv: ['sh', '-c', `${onward} & echo handed on; wait`] });
    if (!answer.accepted) return verdict(answer);
    const child = await runningChild(stage);
    if (child === undefined) return 'nothing runs at gamma';
    await stage.alpha.client().call('cancel', { task: answer.task });
    const parent = await stage.alpha.client().call('status', { task: answer.task });
    const ended = await stage.gamma.client().call('wait', { task: child, timeout_seconds: 20 });
    const left = processesWith(HANDED_ON_SLEEP.join('\0'), stage.dir).length;
    return `${parent.state}, at gamma ${ended.state}, ${left} processes left`;
  },
};

/** Longest wait for the work to arrive at gamma, milliseconds. */
const ARRIVAL_LIMIT_MS = 20_000;

/** The task that runs at gamma for beta, once there is one. */
async function runningChild(stage: Stage): Promise<string | undefined> {
  const startedMs = stage.clock.monotonicMs();
  while (stage.clock.monotonicMs() - startedMs < ARRIVAL_LIMIT_MS) {
    const { tasks } = await stage.gamma.client().call('list_tasks', { side: 'executing', state: 'running', limit: 1 });
    const [task] = tasks;
    if (task !== undefined) return task.task;
    await sleep(20);
  }
  return undefined;
}
