import { type Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import { WritError } from '@writ/core';
import { createRateLimiter } from '../rate-limiter.ts';
import { errorToStatus, hasErrorTrailer } from '../wire-error.ts';
import { type CallContext, type CallContexts, callerKey } from './call-context.ts';
import type { InterceptorDeps } from './interceptor-deps.ts';
import { trackCalls } from './track-calls.ts';

/** Callers whose rate is remembered at once. */
const REMEMBERED_CALLERS = 20_000;

/** Why a call goes no further; undefined: it does. */
type Check = (context: CallContext, metadata: Metadata) => WritError | undefined;

/** Every call passes these in this order, from the wire to the handler; its answer passes them backwards. */
export function createInterceptors(deps: InterceptorDeps): ServerInterceptor[] {
  return [trackCalls(deps), gate(deps.contexts, [lookUpMethod(deps), authenticate(deps), limit(deps)]), mapErrors()];
}

/** INVARIANT: a method without an entry in the table is served to nobody. */
function lookUpMethod({ table }: InterceptorDeps): Check {
  return (context) => {
    if (!Object.hasOwn(table, context.method)) return new WritError('BAD_REQUEST', 'there is no such method');
    context.policy = table[context.method];
    return undefined;
  };
}

/**
 * Who calls, checked against the pins and the snapshot of this moment: a connection that outlived its peer's trust
 * serves nothing more. INVARIANT: strangers reach only methods for invited ones, and only while an invite is open.
 */
function authenticate({ connections, peers, hasOpenInvite }: InterceptorDeps): Check {
  return (context) => {
    const connection = context.connection === undefined ? undefined : connections.get(context.connection);
    if (connection === undefined) return new WritError('PEER_UNKNOWN', 'the connection is gone');
    if (connection.leafDer !== undefined) context.leafDer = connection.leafDer;
    const id = connection.leafDer === undefined ? undefined : peers.identify(connection.leafDer);
    const peer = id === undefined ? undefined : peers.peer(id);
    if (peer?.enabled) {
      context.caller = { kind: 'peer', id: peer.id, label: peer.label };
      connections.prove(connection.key, peer.id);
    } else {
      context.caller = { kind: 'stranger', address: connection.address };
    }
    if (context.policy?.authentication === 'invited') {
      if (!hasOpenInvite()) return unknownPeer();
      context.signal.addEventListener('abort', connections.hold(connection.key), { once: true });
      return undefined;
    }
    if (peer === undefined) return unknownPeer();
    return peer.enabled ? undefined : new WritError('PEER_DISABLED', 'this node has disabled your node as a peer');
  };
}

/** The same words whether the certificate, the pin or the configuration is missing. */
function unknownPeer(): WritError {
  return new WritError('PEER_UNKNOWN', 'this node does not know your node', {
    nextSteps: ['ask its owner for an invite (`writ peer invite` there), then `writ peer join CODE` here'],
  });
}

/** Size of the headers, calls a second, calls at once, and their duration. */
function limit({ calls, limits, clock }: InterceptorDeps): Check {
  const peerRate = createRateLimiter(limits.peerRate, REMEMBERED_CALLERS, clock);
  const strangerRate = createRateLimiter(limits.strangerRate, REMEMBERED_CALLERS, clock);
  return (context, metadata) => {
    const { policy, caller } = context;
    if (policy === undefined || caller === undefined) return new WritError('INTERNAL', 'a call without its caller');
    if (metadataBytes(metadata) > limits.maxMetadataBytes) {
      return new WritError('BAD_REQUEST', `the metadata is larger than ${limits.maxMetadataBytes} bytes`);
    }
    const rate = caller.kind === 'peer' ? peerRate : strangerRate;
    if (!rate.take(callerKey(caller), policy.limits.cost)) {
      return new WritError('RATE_LIMITED', 'too many calls in a short time', { nextSteps: ['try again in a second'] });
    }
    if (!calls.admit(context, policy.limits.maxOpen)) {
      return new WritError('RATE_LIMITED', `more than ${policy.limits.maxOpen} calls of this kind at once`, {
        nextSteps: ['wait for one of them to end'],
      });
    }
    if (policy.limits.maxMs !== undefined) {
      const late = new WritError('TIMED_OUT', 'the call took too long');
      const cancel = clock.setTimer(policy.limits.maxMs, () => context.end(late));
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
        const foreign = end.code !== status.OK && !hasErrorTrailer({ ...end, metadata: end.metadata ?? undefined });
        next(foreign ? errorToStatus(new WritError('INTERNAL', end.details ?? '')) : end);
      },
    });
}

/** Lets a call through its checks, in their order, or ends it with the first error, when its metadata is there. */
function gate(contexts: CallContexts, checks: readonly Check[]): ServerInterceptor {
  const refusal = (metadata: Metadata): WritError | undefined => {
    const context = contexts.get(metadata);
    if (context === undefined) return new WritError('INTERNAL', 'a call without its context');
    for (const check of checks) {
      const error = check(context, metadata);
      if (error !== undefined) return error;
    }
    return undefined;
  };
  return (_definition, call) =>
    new ServerInterceptingCall(call, {
      start(next) {
        next({
          onReceiveMetadata(metadata, nextMetadata) {
            const error = refusal(metadata);
            if (error === undefined) nextMetadata(metadata);
            else call.sendStatus(errorToStatus(error));
          },
        });
      },
    });
}
