import { Metadata, ServerInterceptingCall, type ServerInterceptingCallInterface, status } from '@grpc/grpc-js';
import { silentLogger } from '@writ/core';
import { createFakeClock } from '@writ/testkit';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../limits.ts';
import type { CallContexts } from './call-context.ts';
import { createOpenCalls } from './open-calls.ts';
import { trackCalls } from './track-calls.ts';

type WireListener = Parameters<ServerInterceptingCallInterface['start']>[0];

/** A call as the library would make it, as far as the interceptor looks at it. */
function wireCall() {
  let listener: WireListener | undefined;
  const call: Partial<ServerInterceptingCallInterface> = {
    start: (told) => {
      listener = told;
    },
    sendStatus: () => {},
    getConnectionInfo: () => ({}),
  };
  return { call: call as ServerInterceptingCallInterface, listener: () => listener };
}

function track() {
  const contexts: CallContexts = new Map();
  const clock = createFakeClock(0);
  const interceptor = trackCalls({
    contexts,
    calls: createOpenCalls(),
    limits: DEFAULT_LIMITS,
    clock,
    logger: silentLogger,
  });
  const wire = wireCall();
  const reached: string[] = [];
  const tracked = interceptor({ path: '/a' } as never, new ServerInterceptingCall(wire.call));
  tracked.start({
    onReceiveMetadata: () => reached.push('metadata'),
    onReceiveMessage: () => reached.push('message'),
    onReceiveHalfClose: () => reached.push('handler'),
    onCancel: () => reached.push('cancel'),
  });
  return { contexts, clock, reached, tracked, listener: wire.listener };
}

describe('a call that is over', () => {
  it('has no context any more, whichever way it ended', () => {
    for (const end of ['status', 'cancel'] as const) {
      const { contexts, tracked, listener } = track();
      listener()?.onReceiveMetadata(new Metadata());
      expect(contexts.size).toBe(1);
      if (end === 'status') tracked.sendStatus({ code: status.OK, details: '' });
      else listener()?.onCancel();
      expect(contexts.size, end).toBe(0);
    }
  });

  it('reaches no handler with a request that is whole only then', () => {
    const { clock, reached, listener } = track();
    listener()?.onReceiveMetadata(new Metadata());
    clock.advance(DEFAULT_LIMITS.requestMs);
    listener()?.onReceiveHalfClose();
    expect(reached).toEqual(['metadata']);
  });
});
