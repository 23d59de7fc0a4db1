import type { CommandSpec, CommandStep, LocalCaller, WatchedCommand, Wish } from '@writ/commands';
import { WritError } from '@writ/core';
import type { z } from 'zod';
import { untilAborted } from '../abortable.ts';
import type { OperationOutput, StreamItem } from '../client/types.ts';
import { executionContract } from '../contract/executions.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement, implementStream } from '../implement.ts';
import { transcriptText } from '../transcript-text.ts';
import type { CallContext, Caller } from '../types.ts';
import { viewCommand, viewRefusal, viewSent, viewWatched } from '../views/command-view.ts';
import { workLine } from '../views/task-view.ts';
import { requireDuration } from './duration.ts';
import { ownSession, retryOf } from './own-session.ts';
import { foldLetters, nodeLabels, requireName } from './peer-lookup.ts';

/** Most output that one answer carries, bytes. */
const MOST_OUTPUT_BYTES = 32_768;

/** Time for what there is already to be read, of a command that goes on and of one that has ended, milliseconds. */
const SHORTEST_LOOK_MS = 250;
const LONGEST_READ_MS = 60_000;

/** Commands of this machine and of peers. */
export function executionOperations(ports: GatewayPorts): readonly AnyOperation[] {
  const { commands } = ports;
  const labels = () => nodeLabels(ports);
  return [
    implement(executionContract.run, (input, context) => run(ports, input, context)),
    implement(executionContract.propose_plan, (input, context) => proposePlan(ports, input, context)),
    implement(executionContract.execution, (input, context) => look(ports, input, context)),
    implement(executionContract.list_executions, ({ limit }, { caller }) => ({
      executions: commands.list(callerOf(caller), limit).map((command) => viewCommand(command, labels())),
      sent: commands.listSent(callerOf(caller), limit).map((command) => viewSent(command, labels())),
    })),
    implement(executionContract.execution_show, async ({ execution, at }, { caller, signal }) => {
      const command = await commands.show(callerOf(caller), { at: foldLetters(at), id: execution }, signal);
      return { ...viewCommand(command, labels()), argv: [...command.argv] };
    }),
    implement(executionContract.execution_cancel, async ({ execution, at }, { caller, signal }) =>
      viewCommand(await commands.cancel(callerOf(caller), { at: foldLetters(at), id: execution }, signal), labels()),
    ),
    implementStream(executionContract.execution_watch, ({ execution, at, offset }, { caller, signal }) =>
      watchViews(commands.watch(callerOf(caller), { at: foldLetters(at), id: execution, offset }, signal), labels()),
    ),
  ];
}

async function run(
  ports: GatewayPorts,
  input: z.output<typeof executionContract.run.input>,
  { caller, signal }: CallContext,
): Promise<OperationOutput<'run'>> {
  const command: CommandSpec = { ...stepOf(input), ...namesOf(input) };
  const answer = await ask(ports, caller, { kind: 'command', command }, input, signal);
  if (!answer.accepted) return { accepted: false, decided: viewRefusal(answer, answer.decidedBy, input) };
  if (!('command' in answer)) throw new WritError('INTERNAL', 'a command was answered like a plan');
  return { accepted: true, command: viewCommand(answer.command, nodeLabels(ports)) };
}

async function proposePlan(
  ports: GatewayPorts,
  input: z.output<typeof executionContract.propose_plan.input>,
  { caller, signal }: CallContext,
): Promise<OperationOutput<'propose_plan'>> {
  const { title, only_steps: onlySteps, max_uses: maxUses } = input;
  const plan = {
    ...{ title, onlySteps, steps: input.steps.map(stepOf), windowMs: requireDuration('window', input.window) },
    ...namesOf(input),
    ...(maxUses === undefined ? {} : { maxUses }),
  };
  const answer = await ask(ports, caller, { kind: 'plan', plan }, input, signal);
  if (!answer.accepted) return { accepted: false, decided: viewRefusal(answer, answer.decidedBy, input) };
  if (!('question' in answer)) throw new WritError('INTERNAL', 'a plan was answered like a command');
  const { approval, state, why, expiresAtMs, steps } = answer.question;
  return {
    ...{ accepted: true, approval, state, why, expires_at_ms: expiresAtMs },
    steps: steps.map(({ argv, class: of, needs, target }) => ({
      ...{ work: workLine({ kind: 'argv', argv }), class: of, needs: [...needs] },
      ...(target === undefined ? {} : { target }),
    })),
  };
}

function ask(
  ports: GatewayPorts,
  caller: Caller,
  wish: Wish,
  { to, idempotency_key: key }: { readonly to: string; readonly idempotency_key?: string | undefined },
  signal: AbortSignal,
): ReturnType<GatewayPorts['commands']['ask']> {
  // A plan opens a window: no command that is called by its key may come under it.
  const retry = retryOf(wish.kind === 'plan' ? 'propose_plan' : 'run', key);
  const who = callerOf(caller, () => ownSession(ports, caller, retry));
  return ports.commands.ask(who, { at: foldLetters(to), wish, ...(key === undefined ? {} : { key }) }, signal);
}

/** INVARIANT: 7 session and task are the credential's; nothing in an input names one. */
function callerOf(caller: Caller, start?: () => { readonly id: string; readonly agent: string }): LocalCaller {
  if (caller.kind === 'task') return { kind: 'task', task: caller.task };
  const session = caller.session ?? start?.();
  return session === undefined ? { kind: 'host' } : { kind: 'host', session: { id: session.id, agent: session.agent } };
}

function stepOf({
  argv,
  cwd,
  stdin,
}: {
  readonly argv: readonly string[];
  readonly cwd?: string | undefined;
  readonly stdin?: string | undefined;
}): CommandStep {
  return {
    argv,
    ...(cwd === undefined ? {} : { cwd }),
    ...(stdin === undefined ? {} : { stdin: Buffer.from(stdin).toString('base64') }),
  };
}

function namesOf({
  profile,
  workspace,
}: {
  readonly profile?: string | undefined;
  readonly workspace?: string | undefined;
}): Pick<CommandSpec, 'profile' | 'workspace'> {
  return {
    ...(profile === undefined ? {} : { profile: requireName('profile', profile) }),
    ...(workspace === undefined ? {} : { workspace: requireName('workspace', workspace) }),
  };
}

async function* watchViews(
  items: AsyncIterable<WatchedCommand>,
  labelOf: ReturnType<typeof nodeLabels>,
): AsyncGenerator<StreamItem<'execution_watch'>> {
  for await (const item of items) yield viewWatched(item, labelOf);
}

/** A command as it is, and what it has written from an offset on; waits for its end as long as it is asked to. */
async function look(
  ports: GatewayPorts,
  input: z.output<typeof executionContract.execution.input>,
  { caller, signal }: CallContext,
): Promise<OperationOutput<'execution'>> {
  const { execution: id, offset, wait_seconds: seconds } = input;
  const place = { at: foldLetters(input.at), id };
  const who = callerOf(caller);
  const first = await ports.commands.show(who, place);
  const enough = new AbortController();
  const until = AbortSignal.any([signal, enough.signal]);
  const waitMs = first.endedAtMs === undefined ? Math.max(seconds * 1000, SHORTEST_LOOK_MS) : LONGEST_READ_MS;
  const stopTimer = ports.clock.setTimer(waitMs, () => enough.abort());
  const chunks: Buffer[] = [];
  let [bytes, next, command] = [0, offset, first];
  try {
    for await (const item of untilAborted(ports.commands.watch(who, { ...place, offset }, until), until)) {
      if (item.kind === 'state') command = item.command;
      else if (bytes < MOST_OUTPUT_BYTES) {
        chunks.push(Buffer.from(item.data ?? `[${item.droppedBytes} bytes were not kept]`));
        bytes += chunks.at(-1)?.length ?? 0;
        next = item.next;
        if (bytes >= MOST_OUTPUT_BYTES) break;
      }
    }
  } catch (error) {
    if (!until.aborted) throw error;
  } finally {
    stopTimer();
    enough.abort();
  }
  const view = viewCommand(command, nodeLabels(ports));
  const { text } = transcriptText(Buffer.concat(chunks), true);
  return { ...view, output: text, next_offset: next, timed_out: seconds > 0 && !view.finished };
}
