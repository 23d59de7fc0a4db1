import { appendFileSync } from 'node:fs';
import { sha256Hex } from '@writ/core';
import type { Execution } from '@writ/lease-store';
import { createGateFixture, type GateFixture, HOUR_MS } from './gate-fixture.ts';
import { withSteps } from './steps.ts';

/** Work of one process: everything that authority stores, over and over, until it is killed inside step `killAt`. */
export interface KillPlan {
  readonly path: string;
  /** One line for each acknowledged effect: table, id, state. */
  readonly witness: string;
  readonly killAt: number;
}

/** Never returns normally: the process kills itself with SIGKILL. */
export async function workUntilKilled({ path, witness, killAt }: KillPlan): Promise<void> {
  let step = 0;
  const count = (): void => {
    step += 1;
    if (step === killAt) process.kill(process.pid, 'SIGKILL');
  };
  const at = await createGateFixture({ path, wrapDatabase: (real) => withSteps(real, count) });
  const saw = (table: string, id: string, state: string): void => appendFileSync(witness, `${table} ${id} ${state}\n`);
  at.authority.grantLease({ peer: 'self', profile: 'ops', durationMs: 8 * HOUR_MS, issuedBy: 'ap-1' });
  at.gate.executions.recover();
  for (let round = 0; ; round++) workOnce(at, `${process.pid} ${round}`, round, saw);
}

type Saw = (table: string, id: string, state: string) => void;

function workOnce(at: GateFixture, name: string, round: number, saw: Saw): void {
  const proposed = at.gate.executions.propose(at.proposal({ digest: sha256Hex(name), idempotencyKey: name }));
  if (!proposed.proposed) throw new Error(proposed.refusal.message);
  const { execution } = proposed;
  saw('execution', execution.id, execution.state);
  if (execution.approval !== undefined) answer(at, execution.approval, round, saw);
  const started = at.gate.executions.start(execution.id, execution.digest);
  if (started.started) {
    saw('execution', execution.id, 'running');
    finish(at, execution, round, saw);
  }
  // One session has at most so many windows open: closed by a person now and then.
  for (const window of at.gate.windows.list({}).slice(round % 2)) {
    at.gate.windows.close(window.id, 'ap-1');
    saw('window', window.id, 'closed');
  }
}

function answer(at: GateFixture, approval: string, round: number, saw: Saw): void {
  const outcome =
    round % 5 === 3
      ? at.answer(approval, 'deny')
      : at.answer(approval, 'approve', round % 5 === 1 ? 'session' : 'once');
  if (outcome.decided) saw('approval', approval, outcome.approval.state);
}

function finish(at: GateFixture, { id }: Execution, round: number, saw: Saw): void {
  const outcome = { code: 'OK', message: 'done' };
  const ended =
    round % 3 === 2 ? at.gate.executions.notSpawned(id, outcome) : at.gate.executions.finish(id, 'complete', outcome);
  if (ended !== undefined) saw('execution', id, ended.state);
}
