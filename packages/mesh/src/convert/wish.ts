import { type CommandStep, checkWish, type Wish } from '@writ/commands';
import type * as wire from '@writ/wire';
import { given, readCount, readDuration, readName, refuseField } from './fields.ts';

/** A wish for the wire; the other side reads the very same one from it, so that the writ fits. */
export function wishToWire(id: string, wish: Wish, writs: readonly string[]): wire.Init<wire.ExecuteRequest> {
  const { profile, workspace } = wish.kind === 'command' ? wish.command : wish.plan;
  const head = { id, ...given('profile', profile), ...given('workspace', workspace), writs };
  if (wish.kind === 'command') return { ...head, command: stepToWire(wish.command) };
  const { title, steps, onlySteps, windowMs, maxUses } = wish.plan;
  return { ...head, plan: { title, steps: steps.map(stepToWire), onlySteps, windowMs, ...given('maxUses', maxUses) } };
}

/** A wish as a peer sent it. Throws BAD_REQUEST. */
export function wishFromWire(message: wire.ExecuteRequest): Wish {
  const named = {
    ...given('profile', readName('profile', message.profile)),
    ...given('workspace', readName('workspace', message.workspace)),
  };
  const wish = readWish(message, named);
  checkWish(wish);
  return wish;
}

function readWish(
  { command, plan }: wire.ExecuteRequest,
  named: { readonly profile?: string; readonly workspace?: string },
): Wish {
  if (command !== undefined) return { kind: 'command', command: { ...stepFromWire(command), ...named } };
  if (plan === undefined) return refuseField('wish', 'is missing');
  const maxUses = readCount('plan.max_uses', plan.maxUses);
  return {
    kind: 'plan',
    plan: {
      title: plan.title,
      steps: plan.steps.map(stepFromWire),
      onlySteps: plan.onlySteps,
      windowMs: readDuration('plan.window_ms', plan.windowMs),
      ...named,
      ...(maxUses === 0 ? {} : { maxUses }),
    },
  };
}

function stepToWire({ argv, cwd, stdin }: CommandStep): wire.Init<wire.CommandStep> {
  const input = stdin === undefined ? {} : { stdin: { data: Buffer.from(stdin, 'base64') } };
  return { arguments: argv, ...given('cwd', cwd), ...input };
}

function stepFromWire({ arguments: argv, cwd, stdin }: wire.CommandStep): CommandStep {
  return {
    argv,
    ...(cwd === '' ? {} : { cwd }),
    ...(stdin === null ? {} : { stdin: Buffer.from(stdin.data).toString('base64') }),
  };
}
