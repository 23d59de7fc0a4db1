import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, WritError } from '@writ/core';
import type { Output } from '../cli/output.ts';
import type { Environment } from '../env.ts';
import { lookForSandbox } from '../lifecycle/machine-sandbox.ts';
import { freePort } from '../local-mesh/free-port.ts';
import { createLocalNode, type LocalNode } from '../local-mesh/local-node.ts';
import { betaConfig } from './beta-config.ts';
import { gammaConfig } from './gamma-config.ts';
import { mendOf } from './mend.ts';
import { assertRepository, makeRepository } from './repository.ts';
import { STEPS } from './steps/index.ts';
import type { Stage, Step, StepResult } from './types.ts';

export interface DemoRequest {
  /** A repository to offer; absent: one is made. */
  readonly repo?: string;
  /** A command line that tests that repository; absent: one that always works. */
  readonly testCommand?: string;
  /** Leave the nodes running and their folders in place. */
  readonly keep: boolean;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Told each line of the story. */
  tell(line: string): void;
  readonly colors: Output['colors'];
}

export interface DemoReport {
  readonly steps: readonly StepResult[];
}

/**
 * Sets three nodes up, walks through the steps and checks each one; stops at the first that does not go as expected. Throws
 * BAD_REQUEST where `repo` is no repository with a commit, CANCELLED where `signal` ended it; no node is left then.
 */
export async function runDemo(request: DemoRequest): Promise<DemoReport> {
  if (request.repo !== undefined) assertRepository(request.repo, request.environment);
  const dir = mkdtempSync(join(tmpdir(), 'writ-demo-'));
  const node = (name: string): LocalNode => createLocalNode(dir, name, request.environment, request.clock);
  const stage: Stage = {
    dir,
    environment: request.environment,
    clock: request.clock,
    signal: request.signal,
    alpha: node('alpha'),
    beta: node('beta'),
    gamma: node('gamma'),
    stranger: node('stranger'),
    repo: request.repo ?? join(dir, 'greeter'),
    mend: mendOf(request),
    mended: '',
    show: (line) => request.tell(request.colors.dim(`    ${line}`)),
    leaseId: '',
  };
  const nodes = [stage.alpha, stage.beta, stage.gamma, stage.stranger];
  const steps: StepResult[] = [];
  try {
    request.tell(`three nodes in ${dir}: alpha asks, beta offers a repository, gamma takes what beta hands on`);
    await prepare(stage, request);
    for (const step of STEPS) {
      const result = await runStep(stage, step, request);
      if (request.signal.aborted) break;
      steps.push(result);
      if (!result.ok) break;
    }
  } finally {
    if (request.keep) tellKept(request, nodes);
    else {
      await tidy(request, nodes);
      rmSync(dir, { recursive: true, force: true });
    }
  }
  if (request.signal.aborted) throw new WritError('CANCELLED', `the demo was stopped after ${steps.length} steps`);
  const failed = steps.filter((step) => !step.ok).length;
  request.tell(
    failed === 0
      ? request.colors.green(`${steps.length} steps, all as expected`)
      : request.colors.red('not as expected'),
  );
  return { steps };
}

async function prepare(stage: Stage, request: DemoRequest): Promise<void> {
  if (request.repo === undefined) makeRepository(stage.repo, request.environment);
  const isolation = (await lookForSandbox(request.environment)).available ? 'required' : 'none';
  for (const each of [stage.alpha, stage.beta, stage.gamma, stage.stranger]) {
    const listen = `127.0.0.1:${await freePort()}`;
    await each.init({ listen, workspaces: [], isolation });
    if (each === stage.beta)
      writeFileSync(each.home.configFile, betaConfig({ listen, repo: stage.repo, isolation }), { mode: 0o600 });
    if (each === stage.gamma)
      writeFileSync(
        each.home.configFile,
        gammaConfig({ listen, repo: stage.repo, isolation, testCommand: stage.mend.test }),
        {
          mode: 0o600,
        },
      );
  }
  for (const each of [stage.alpha, stage.beta, stage.gamma]) {
    const started = await each.start();
    await each.enroll();
    request.tell(`  ${each.name.padEnd(6)} pid ${started.pid}  ${started.listen}  ${started.id}`);
  }
}

async function runStep(stage: Stage, step: Step, request: DemoRequest): Promise<StepResult> {
  request.tell(`• ${step.name}`);
  const startedMs = request.clock.monotonicMs();
  let got: string;
  try {
    got = await step.run(stage);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    got = `error ${code ?? ''}: ${message}`;
  }
  const ms = Math.round(request.clock.monotonicMs() - startedMs);
  const ok = got === step.expected;
  const { green, red, dim } = request.colors;
  request.tell(
    ok ? `  ${green('✓')} ${got} ${dim(`(${ms} ms)`)}` : `  ${red('✗')} ${got}\n    expected: ${step.expected}`,
  );
  return { name: step.name, expected: step.expected, got, ok, ms };
}

/** Stops every node, also where one of them does not stop as it should. */
async function tidy(request: DemoRequest, nodes: readonly LocalNode[]): Promise<void> {
  for (const node of nodes) {
    try {
      await node.stop();
    } catch (error) {
      request.tell(`${node.name} did not stop: ${(error as Error).message}`);
    }
  }
}

function tellKept(request: DemoRequest, nodes: readonly LocalNode[]): void {
  request.tell('the nodes are left running:');
  for (const node of nodes) {
    if (node.pid() !== undefined)
      request.tell(`  writ --home ${node.home.root} status   (writ --home ${node.home.root} down)`);
  }
}
