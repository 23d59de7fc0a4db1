import { type Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import { createRateLimiter, WritError } from '@writ/core';
import { refusalToStatus } from '../wire-error.ts';
import { type CallContext, callerKey } from './call-context.ts';
import { connectionKey } from './connections.ts';
import type { InterceptorDeps } from './interceptor-deps.ts';

/** Lines a second about refused calls; a flood of them is no reason to fill a disk. */
const REFUSAL_LINES = { perSecond: 10, burst: 50 };

type TrackDeps = Pick<InterceptorDeps, 'contexts' | 'calls' | 'limits' | 'clock' | 'logger'>;

/**
 * Nearest to the wire: makes the context of a call, counts it as open until it ends, waits for its request only so
 * long, and writes the line about it, refused or not.
 */
export function trackCalls(deps: TrackDeps): ServerInterceptor {
  const { contexts, calls, limits, clock } = deps;
  const log = createCallLog(deps);
  // One for all calls: what nobody throws needs no place where it was made, and finding that out takes its time.
  const over = new WritError('CANCELLED', 'the call is over');
  return (definition, call) => {
    let isOver = false;
    let finish: (code: status) => void = () => {};
    const tracked: ServerInterceptingCall = new ServerInterceptingCall(call, {
      start(next) {
        next({
          onReceiveMetadata(metadata, nextMetadata) {
            const { context, abort } = openContext(metadata);
            const cancel = clock.setTimer(limits.requestMs, () => {
              if (!context.handled) context.end(new WritError('TIMED_OUT', 'no request came'));
            });
            finish = (code) => {
              finish = () => {};
              isOver = true;
              cancel();
              contexts.delete(metadata);
              leave(context);
              log(context, code);
              abort(over);
            };
            nextMetadata(metadata);
          },
          // A request that is whole only now has nobody who would hear the answer, and no context any more.
          onReceiveHalfClose: (nextHalfClose) => isOver || nextHalfClose(),
          onCancel: () => finish(status.CANCELLED),
        });
      },
      sendStatus(end, next) {
        next(end);
        finish(end.code ?? status.UNKNOWN);
      },
    });

    function openContext(metadata: Metadata) {
      const controller = new AbortController();
      const ends = call.getConnectionInfo();
      const context: CallContext = {
        method: definition.path,
        remote: `${ends.remoteAddress}:${ends.remotePort}`,
        connection: connectionKey(ends),
        startedAtMs: clock.monotonicMs(),
        signal: controller.signal,
        handled: false,
        end(error) {
          controller.abort(error);
          // A handler answers itself; before there is one, nobody else does.
          if (!context.handled) tracked.sendStatus(refusalToStatus(error));
        },
      };
      contexts.set(metadata, context);
      calls.add(context);
      return { context, abort: (error: WritError) => controller.abort(error) };
    }

    return tracked;
  };

  /** Whoever hangs up on a call with one answer while it is worked for has not made room for the next one: there would be work without end. */
  function leave(context: CallContext): void {
    if (context.work === undefined) calls.remove(context);
    else void context.work.finally(() => calls.remove(context));
  }
}

function createCallLog({ clock, logger }: TrackDeps): (context: CallContext, code: status) => void {
  const refusals = createRateLimiter(REFUSAL_LINES, 1, clock);
  return (context, code) => {
    const refused = code !== status.OK && code !== status.CANCELLED;
    if (!refused && context.policy?.audit !== 'act') return;
    if (refused && !refusals.take('', 1)) return;
    const write = refused ? logger.warn : logger.info;
    write.call(logger, refused ? 'mesh call refused' : 'mesh call', {
      method: context.method,
      caller: callerKey(context.caller),
      remote: context.remote,
      status: status[code],
      ms: Math.round(clock.monotonicMs() - context.startedAtMs),
    });
  };
}
