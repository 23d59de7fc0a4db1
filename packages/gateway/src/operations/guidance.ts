import { toWritError } from '@writ/core';
import type { Decision } from '@writ/policy';
import type { OperationOutput } from '../client/types.ts';
import { guidanceContract } from '../contract/guidance.ts';
import type { GatewayPorts } from '../gateway-ports.ts';
import { type AnyOperation, implement } from '../implement.ts';
import type { PolicyVerdict } from '../ports.ts';
import type { CallContext, Caller } from '../types.ts';
import { stepsAfter } from '../views/lease-step.ts';
import { viewDecision } from '../views/policy-view.ts';
import { foldLetters, requirePeer, SELF } from './peer-lookup.ts';

interface Wish {
  readonly to: string;
  readonly profile?: string;
  readonly workspace?: string;
  readonly runner?: string;
}

/** What an agent can find out about a wish before, or after, it asks for it. */
export function guidanceOperations(ports: GatewayPorts): readonly AnyOperation[] {
  return [
    implement(guidanceContract.check_policy, (input, context) => check(ports, wishOf(input.to, input), context)),
    implement(guidanceContract.explain_decision, ({ to, ...named }, { caller }) => {
      const wish = wishOf(to, named);
      return viewDecision(decideHere(ports, wish, caller), wish.to === SELF ? 'incoming' : 'outgoing', wish.to);
    }),
  ];
}

function wishOf(
  to: string,
  named: Readonly<Partial<Record<'profile' | 'workspace' | 'runner', string | undefined>>>,
): Wish {
  const { profile, workspace, runner } = named;
  return {
    to: foldLetters(to),
    ...(profile === undefined ? {} : { profile: foldLetters(profile) }),
    ...(workspace === undefined ? {} : { workspace: foldLetters(workspace) }),
    ...(runner === undefined ? {} : { runner: foldLetters(runner) }),
  };
}

/** What this node says to it: all of it where it would run here, else whether it may go out. */
function decideHere({ engine, authority }: GatewayPorts, { to, runner, ...named }: Wish, caller: Caller): Decision {
  if (to !== SELF) return engine.decideOutbound({ to, ...named, ship: false });
  const subject = { from: SELF, origin: SELF, session: caller.session?.id ?? '' };
  return authority.preview(subject, { chain: [], ...named, ...(runner === undefined ? {} : { runner }) });
}

async function check(
  ports: GatewayPorts,
  wish: Wish,
  { caller, signal }: CallContext,
): Promise<OperationOutput<'check_policy'>> {
  const here = decideHere(ports, wish, caller);
  if (wish.to === SELF || here.effect !== 'allow') return view(wish, 'here', here);
  const { to, ...question } = wish;
  const { id } = requirePeer(ports.engine.snapshot().config, to);
  try {
    return view(wish, 'peer', await ports.describe.check(id, question, signal));
  } catch (error) {
    if (signal.aborted) throw error;
    return { ...view(wish, 'here', here), not_asked: toWritError(error).message };
  }
}

function view(
  wish: Pick<Wish, 'to' | 'profile'>,
  by: 'here' | 'peer',
  decision: PolicyVerdict,
): OperationOutput<'check_policy'> {
  const { effect, code, message, effectiveProfile, effectiveRunner, generation } = decision;
  return {
    ...{ to: wish.to, by, effect, code, message, next_steps: stepsAfter(decision, wish) },
    ...(effectiveProfile === undefined ? {} : { profile: effectiveProfile }),
    ...(effectiveRunner === undefined ? {} : { runner: effectiveRunner }),
    generation,
  };
}
