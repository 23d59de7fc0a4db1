import { digestJson, type Json, quote, WritError } from '@writ/core';
import type { TaskSpec } from '@writ/delegation';
import { createSignerCache, type WritClaims } from '@writ/identity';
import { decisionForPeer } from '@writ/policy';
import type { SubmitRequest, SubmitResponse } from '@writ/wire';
import { decisionToWire } from '../convert/decision.ts';
import { readId } from '../convert/fields.ts';
import { specFromWire } from '../convert/spec.ts';
import { taskToWire } from '../convert/task.ts';
import type { UnaryHandler } from '../server/adapt-handler.ts';
import { verifyCallersChain } from './caller-chain.ts';
import { callingPeer, type HandlerDeps } from './handler-deps.ts';

/** Takes a task on, or says why not. The authority of the request is what its chain of writs proves, nothing else. */
export function createSubmit(deps: HandlerDeps): UnaryHandler<SubmitRequest, SubmitResponse> {
  const { executor } = deps;
  const signers = createSignerCache();
  return async (context, request) => {
    const from = callingPeer(context);
    const task = readId('task', request.task);
    const idempotencyKey = readId('idempotency_key', request.idempotencyKey);
    const spec = specFromWire(request.spec);
    const chain = verifyCallersChain(deps, from, request.writs, signers);
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
