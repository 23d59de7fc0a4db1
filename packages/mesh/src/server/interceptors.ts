import { type Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import { createRateLimiter, WritError } from '@writ/core';
import { type Refusal, refuse, refuseMethod } from '../refusal.ts';
import { traceTakenCalls } from '../trace-calls.ts';
import { isRefusalStatus, refusalToStatus } from '../wire-error.ts';
import { type CallContext, type CallContexts, callerKey } from './call-context.ts';
import type { InterceptorDeps } from './interceptor-deps.ts';
import { trackCalls } from './track-calls.ts';

/** Callers whose rate is remembered at once. */
const REMEMBERED_CALLERS = 20_000;

/** Why a call goes no further; undefined: it does. */
type Check = (context: CallContext, metadata: Metadata) => Refusal | undefined;

/** Every call passes these in this order, from the wire to the handler; its answer passes them backwards. */
export function createInterceptors(deps: InterceptorDeps): ServerInterceptor[] {
  const checks = [identify(deps), limitRate(deps), lookUpMethod, authenticate(deps), limit(deps)];
  const traced = deps.tracing === undefined ? [] : [traceTakenCalls(deps.tracing, deps.contexts)];
  return [trackCalls(deps), gate(deps.contexts, checks), ...traced, mapErrors()];
}

/**
 * INVARIANT: 3 who calls is who the connection proves, checked against the pins and the snapshot of this moment: one
 * that outlived its peer's trust serves nothing more.
 */
function identify({ connections, peers, table }: InterceptorDeps): Check {
  return (context) => {
    if (Object.hasOwn(table, context.method)) context.policy = table[context.method];
    const connection = context.connection === undefined ? undefined : connections.get(context.connection);
    if (connection === undefined) return refuse('PEER_UNKNOWN', 'the connection is gone');
    if (connection.leafDer !== undefined) context.leafDer = connection.leafDer;
    const id = connection.leafDer === undefined ? undefined : peers.identify(connection.leafDer);
    const peer = id === undefined ? undefined : peers.peer(id);
    if (peer?.enabled) {
      context.caller = { kind: 'peer', id: peer.id, label: peer.label };
      connections.prove(connection.key, peer.id);
    } else {
      context.caller = { kind: 'stranger', address: connection.address };
      if (peer !== undefined) context.isDisabled = true;
    }
    return undefined;
  };
}

/** Before anything else is looked at, so that a refused call has its price too. */
function limitRate({ limits, clock }: InterceptorDeps): Check {
  const peerRate = createRateLimiter(limits.peerRate, REMEMBERED_CALLERS, clock);
  const strangerRate = createRateLimiter(limits.strangerRate, REMEMBERED_CALLERS, clock);
  const knockRate = createRateLimiter(limits.knockRate, REMEMBERED_CALLERS, clock);
  return (context) => {
    const { caller, policy } = context;
    const unprovenRate = policy?.authentication === 'invited' ? strangerRate : knockRate;
    const rate = caller?.kind === 'peer' ? peerRate : unprovenRate;
    // Strangers are only refused, whatever they ask for.
    const cost = caller?.kind === 'peer' ? (policy?.limits.cost ?? 1) : 1;
    context.chargeRefusal = () => rate.charge(callerKey(caller), policy?.limits.refusalCost ?? 0);
    if (rate.take(callerKey(caller), cost)) return undefined;
    return refuse('RATE_LIMITED', 'too many calls in a short time', ['try again in a second']);
  };
}

/** What has no entry in the table is served to nobody. */
function lookUpMethod({ policy }: CallContext): Refusal | undefined {
  return policy === undefined ? refuseMethod() : undefined;
}

/** INVARIANT: 3 strangers reach only methods for invited ones, and only while an invite is open. */
function authenticate({ connections, hasOpenInvite }: InterceptorDeps): Check {
  return (context) => {
    if (context.policy?.authentication === 'invited') {
      if (!hasOpenInvite()) return unknownPeer();
      if (context.connection !== undefined) {
        context.signal.addEventListener('abort', connections.hold(context.connection), { once: true });
      }
      return undefined;
    }
    if (context.caller?.kind === 'peer') return undefined;
    return context.isDisabled ? refuse('PEER_DISABLED', 'this node has disabled your node as a peer') : unknownPeer();
  };
}

/** The same words whether the certificate, the pin or the configuration is missing. */
function unknownPeer(): Refusal {
  return refuse('PEER_UNKNOWN', 'this node does not know your node', [
    'ask its owner for an invite (`writ peer invite` there), then `writ peer join CODE` here',
  ]);
}

/** Size of the headers, calls at once, and their duration. */
function limit({ calls, limits, clock }: InterceptorDeps): Check {
  return (context, metadata) => {
    const { policy } = context;
    if (policy === undefined) return refuse('INTERNAL', 'a call without its method');
    if (metadataBytes(metadata) > limits.maxMetadataBytes) {
      return refuse('BAD_REQUEST', `the metadata is larger than ${limits.maxMetadataBytes} bytes`);
    }
    if (!calls.admit(context, policy.limits.maxOpen)) {
      return refuse('RATE_LIMITED', `more than ${policy.limits.maxOpen} calls of this kind at once`, [
        'wait for one of them to end',
      ]);
    }
    if (policy.limits.maxMs !== undefined) {
      const cancel = clock.setTimer(policy.limits.maxMs, () =>
        context.end(new WritError('TIMED_OUT', 'the call took too long')),
      );
      context.signal.addEventListener('abort', cancel, { once: true });
    }
    return undefined;
  };
}

function metadataBytes(metadata: Metadata): number {
  let bytes = 0;
  for (const [name, values] of Object.entries(metadata.toJSON())) {
    for (const value of values) bytes += name.length + value.length;
  }
  return bytes;
}

/** What the library made of a failure, and not a handler, says nothing about this node. */
function mapErrors(): ServerInterceptor {
  return (_definition, call) =>
    new ServerInterceptingCall(call, {
      sendStatus(end, next) {
        const foreign = end.code !== status.OK && !isRefusalStatus(end);
        next(foreign ? refusalToStatus(refuse('INTERNAL', end.details ?? '')) : end);
      },
    });
}

/** Lets a call through its checks, in their order, or ends it with the first refusal, when its metadata is there. */
function gate(contexts: CallContexts, checks: readonly Check[]): ServerInterceptor {
  const refusal = (metadata: Metadata): Refusal | undefined => {
    const context = contexts.get(metadata);
    if (context === undefined) return refuse('INTERNAL', 'a call without its context');
    for (const check of checks) {
      const refused = check(context, metadata);
      if (refused !== undefined) return refused;
    }
    return undefined;
  };
  return (_definition, call) =>
    new ServerInterceptingCall(call, {
      start(next) {
        next({
          onReceiveMetadata(metadata, nextMetadata) {
            const refused = refusal(metadata);
            if (refused === undefined) nextMetadata(metadata);
            else call.sendStatus(refusalToStatus(refused));
          },
        });
      },
    });
}
