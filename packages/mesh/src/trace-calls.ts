import {
  InterceptingCall,
  type Interceptor,
  type Listener,
  ServerInterceptingCall,
  type ServerInterceptor,
  status,
} from '@grpc/grpc-js';
import type { Span, Tracing } from '@writ/core';
import type { CallContexts } from './server/call-context.ts';

/** Metadata key under which a call says where in a trace it belongs, as W3C trace context has it. */
const TRACE_KEY = 'traceparent';

/** What a `traceparent` looks like; anything else of a peer is nobody's parent. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** `/writ.mesh.v1.Mesh/Submit` is `mesh Submit`. */
const nameOf = (path: string): string => `mesh ${path.slice(path.lastIndexOf('/') + 1)}`;

/** A span around each call to a peer, whose place goes along as metadata. */
export function traceSentCalls(tracing: Tracing, peer: string): Interceptor {
  return (options, nextCall) => {
    const span = tracing.start(nameOf(options.method_definition.path), { kind: 'client', fields: { peer } });
    return new InterceptingCall(nextCall(options), {
      start(metadata, listener, next) {
        if (span.traceparent !== undefined) metadata.set(TRACE_KEY, span.traceparent);
        next(metadata, endingWith(span, listener));
      },
    });
  };
}

function endingWith(span: Span, listener: Listener): Listener {
  return {
    onReceiveMetadata: (metadata) => listener.onReceiveMetadata?.(metadata, () => undefined),
    onReceiveMessage: (message) => listener.onReceiveMessage?.(message, () => undefined),
    onReceiveStatus(end) {
      span.end(status[end.code] ?? 'UNKNOWN');
      listener.onReceiveStatus?.(end, () => undefined);
    },
  };
}

/** A span around each call of a peer that was let through, below the one that the peer says; its handler runs inside. */
export function traceTakenCalls(tracing: Tracing, contexts: CallContexts): ServerInterceptor {
  return (definition, call) => {
    let span: Span | undefined;
    const inside = (work: () => void): void => (span === undefined ? work() : span.run(work));
    return new ServerInterceptingCall(call, {
      start(next) {
        next({
          onReceiveMetadata(metadata, nextMetadata) {
            const caller = contexts.get(metadata)?.caller;
            const [said] = metadata.get(TRACE_KEY);
            const parent = typeof said === 'string' && TRACEPARENT.test(said) ? said : undefined;
            span = tracing.start(nameOf(definition.path), {
              ...{ kind: 'server', parent, fields: caller?.kind === 'peer' ? { peer: caller.id } : {} },
            });
            inside(() => nextMetadata(metadata));
          },
          onReceiveMessage: (message, nextMessage) => inside(() => nextMessage(message)),
          onReceiveHalfClose: (nextHalfClose) => inside(nextHalfClose),
          onCancel: () => span?.end(status[status.CANCELLED]),
        });
      },
      sendStatus(end, next) {
        next(end);
        span?.end(status[end.code ?? status.UNKNOWN]);
      },
    });
  };
}
