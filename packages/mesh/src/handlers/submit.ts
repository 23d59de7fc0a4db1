import { digestJson, type Json, quote, WritError } from '@writ/core';
import type { TaskSpec } from '@writ/delegation';
import { createSignerCache, verifyChain, type WritClaims } from '@writ/identity';
import { decisionForPeer } from '@writ/policy';
import type { SubmitRequest, SubmitResponse } from '@writ/wire';
import { decisionToWire } from '../convert/decision.ts';
import { readId, refuseField } from '../convert/fields.ts';
import { specFromWire } from '../convert/spec.ts';
import { taskToWire } from '../convert/task.ts';
import type { UnaryHandler } from '../server/adapt-handler.ts';
import { callingPeer, type HandlerDeps } from './handler-deps.ts';

/** Takes a task on, or says why not. The authority of the request is what its chain of writs proves, nothing else. */
export function createSubmit(deps: HandlerDeps): UnaryHandler<SubmitRequest, SubmitResponse> {
  const { identity, pins, engine, executor, clock } = deps;
  const signers = createSignerCache();
  return async (context, request) => {
    const from = callingPeer(context);
    const task = readId('task', request.task);
    const idempotencyKey = readId('idempotency_key', request.idempotencyKey);
    const spec = specFromWire(request.spec);
    if (request.writs.length === 0) refuseField('writs', 'is empty');
    // INVARIANT: 3 the chain is whole, its last issuer is the TLS peer, and no caller declares its own origin or session.
    const chain = verifyChain(
      request.writs,
      {
        self: identity.public.id,
        tlsPeer: from,
        nowMs: clock.nowMs(),
        signers,
        maxChain: engine.snapshot().config.node.maxChain,
      },
      pins,
    );
    checkAgreement(chain.last, task, spec);
    const answer = await executor.submit({
      task,
      idempotencyKey,
      spec,
      subject: { from, origin: chain.last.origin, session: chain.last.session },
      agent: chain.last.agent,
      chain,
      writs: request.writs,
    });
    if (answer.accepted) return { task: taskToWire(answer.task) };
    context.chargeRefusal?.();
    return { decision: decisionToWire(decisionForPeer(answer.decision)) };
  };
}

/** INVARIANT: 1 a writ is authority for the one request that it was made for. */
function checkAgreement(writ: WritClaims, task: string, spec: TaskSpec): void {
  const claims: readonly (readonly [string, string | undefined, string | undefined])[] = [
    ['task', writ.task, task],
    ['profile', writ.profile, spec.profile],
    ['workspace', writ.workspace, spec.workspace],
    ['request', writ.request, digestJson(spec as unknown as Json)],
  ];
  for (const [field, claimed, asked] of claims) {
    if (claimed === asked) continue;
    throw new WritError(
      'WRIT_INVALID',
      `the writ is for ${field} ${quote(claimed ?? '')}, the request for ${quote(asked ?? '')}`,
    );
  }
}
