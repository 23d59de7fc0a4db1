import { WritError } from '@writ/core';
import type { DelegateAnswer, TaskSpec } from '@writ/delegation';
import type { z } from 'zod';
import type { Decided, OperationOutput } from '../client/types.ts';
import { delegationContract } from '../contract/delegation.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement } from '../implement.ts';
import { logReference, transcriptText } from '../transcript-text.ts';
import type { Caller } from '../types.ts';
import { type LeaseWanted, stepsAfter } from '../views/lease-step.ts';
import { viewTask } from '../views/task-view.ts';
import { requireAbsolute } from './absolute-path.ts';
import { actor } from './actor.ts';
import { shellOf } from './callers-shell.ts';
import { requireDuration } from './duration.ts';
import { ownSession, retryOf } from './own-session.ts';
import { foldLetters, labelsOf, requireName, SELF } from './peer-lookup.ts';
import { listTasks } from './task-list.ts';
import { findTask } from './task-lookup.ts';
import { showTurn } from './turns.ts';
import { waitForTask } from './wait.ts';
import { waitingOf } from './waiting.ts';

/** Handing work on and following it. */
export function delegationOperations(ports: GatewayPorts): readonly AnyOperation[] {
  const { engine, origin, executor } = ports;
  const labels = () => labelsOf(engine.snapshot().config);
  const view = (task: string, caller: Caller) => {
    const found = findTask(ports, task, caller);
    return { ...viewTask(found, labels()), ...waitingOf(ports, found) };
  };
  return [
    implement(delegationContract.delegate, async (input, { caller }) => {
      const spec = specFrom(input);
      if (input.ship !== undefined) checkShip(input, input.ship);
      const session = ownSession(ports, caller, retryOf('delegate', input.idempotency_key));
      const answer = await origin.delegate({
        to: foldLetters(input.to),
        spec,
        session: session.id,
        agent: session.agent,
        ...(caller.kind === 'task' ? { parent: caller.task } : {}),
        ...(input.idempotency_key === undefined ? {} : { idempotencyKey: input.idempotency_key }),
        ...(input.ship === undefined ? {} : { ship: input.ship }),
        ...shellOf(input.shell, caller),
      });
      return viewAnswer(answer, input);
    }),
    implement(delegationContract.status, ({ task }, { caller }) => {
      return { ...view(task, caller), ...showTurn(ports, findTask(ports, task, caller)) };
    }),
    implement(delegationContract.wait, async ({ task, timeout_seconds }, context) => {
      const { timedOut } = await waitForTask(ports, task, timeout_seconds * 1000, context);
      return { ...view(task, context.caller), timed_out: timedOut };
    }),
    implement(delegationContract.transcript, async ({ task, offset, limit }, { caller }) => {
      const reader = findTask(ports, task, caller).asked === undefined ? executor : origin;
      const page = await reader.readTranscript(task, offset, limit);
      const { text, usedBytes } = transcriptText(page.data, page.end);
      return {
        task,
        log: logReference(task, offset),
        text,
        next_offset: page.next - (page.data.length - usedBytes),
        end: page.end,
      };
    }),
    implement(delegationContract.cancel, async ({ task }, { caller }) => {
      const end = findTask(ports, task, caller).asked === undefined ? executor : origin;
      await end.cancel(task, actor(caller));
      return view(task, caller);
    }),
    implement(delegationContract.list_tasks, (input, { caller }) => listTasks(ports, input, caller)),
  ];
}

type DelegateInput = z.output<typeof delegationContract.delegate.input>;

function specFrom(input: DelegateInput): TaskSpec {
  const { argv, prompt = '', profile, runner, workspace, ref, timeout, artifacts } = input;
  return {
    input: argv === undefined ? { kind: 'prompt', prompt } : { kind: 'argv', argv },
    ...(profile === undefined ? {} : { profile: requireName('profile', profile) }),
    ...(runner === undefined ? {} : { runner: requireName('runner', runner) }),
    ...(workspace === undefined ? {} : { workspace: requireName('workspace', workspace) }),
    ...(ref === undefined ? {} : { ref }),
    ...(timeout === undefined ? {} : { timeoutMs: requireDuration('timeout', timeout) }),
    ...(artifacts === undefined || artifacts.length === 0 ? {} : { artifacts: [...new Set(artifacts)] }),
  };
}

/** Throws BAD_REQUEST for a working tree that goes nowhere. Which ones a task may send, the origin looks at. */
function checkShip(input: DelegateInput, path: string): void {
  requireAbsolute('ship', path);
  if (input.workspace === undefined) {
    throw new WritError('BAD_REQUEST', 'ship: say which workspace there it is a working tree of', {
      nextSteps: ['name a workspace, as list_peers and writ peer show list them'],
    });
  }
  if (input.ref !== undefined) throw new WritError('BAD_REQUEST', 'ship: it stands instead of ref, give only one');
}

function viewAnswer(answer: DelegateAnswer, wanted: LeaseWanted): OperationOutput<'delegate'> {
  const { task } = answer;
  const decided = answer.accepted ? grantedDecision(task) : refusedDecision(answer, wanted);
  return { accepted: answer.accepted, task: task.id, state: task.state, ...(decided ? { decided } : {}) };
}

/** Absent until the executing node has said what it granted. */
function grantedDecision({ granted, peer }: DelegateAnswer['task']): Decided | undefined {
  if (granted === undefined) return undefined;
  return {
    by: peer === SELF ? 'here' : 'peer',
    effect: 'allow',
    code: 'OK',
    message: granted.message,
    next_steps: [],
    profile: granted.effectiveProfile,
    runner: granted.effectiveRunner,
    generation: granted.generation,
    ...(granted.leaseId === undefined ? {} : { lease_id: granted.leaseId }),
  };
}

function refusedDecision(answer: Extract<DelegateAnswer, { accepted: false }>, wanted: LeaseWanted): Decided {
  const { effect, code, message, generation } = answer.decision;
  return { by: answer.decidedBy, effect, code, message, next_steps: stepsAfter(answer.decision, wanted), generation };
}
