import { type Clock, WritError } from '@writ/core';
import { verifyPeerCertificate } from '@writ/identity';
import type { RedeemClientMessage } from '@writ/pairing';
import type { RedeemRequest, RedeemResponse } from '@writ/wire';
import { redeemRequestFromWire, redeemResponseToWire } from '../convert/redeem.ts';
import type { ExchangeHandler } from '../server/adapt-handler.ts';
import type { HandlerDeps } from './handler-deps.ts';

/** Feeds the exchange of one invite; what it comes to is the pairing package's matter. */
export function createRedeem({
  pairing,
  clock,
}: Pick<HandlerDeps, 'pairing' | 'clock'>): ExchangeHandler<RedeemRequest, RedeemResponse> {
  return async function* redeem(context, requests) {
    const messages = readAll(requests, (hello) => proveHello(hello, context.leafDer, clock));
    for await (const message of pairing.serve(messages)) yield redeemResponseToWire(message);
  };
}

type Hello = Extract<RedeemClientMessage, { step: 'hello' }>;

async function* readAll(
  requests: AsyncIterable<RedeemRequest>,
  check: (hello: Hello) => void,
): AsyncGenerator<RedeemClientMessage> {
  for await (const request of requests) {
    const message = redeemRequestFromWire(request);
    if (message.step === 'hello') check(message);
    yield message;
  }
}

/** Whoever joins holds the key of the identity that it names: the connection's certificate leads to it. */
function proveHello(hello: Hello, leafDer: Uint8Array | undefined, clock: Clock): void {
  const named = { id: hello.id, certificatePem: hello.certificatePem };
  const pins = { get: (id: string) => (id === named.id ? named : undefined) };
  const proof = leafDer === undefined ? undefined : verifyPeerCertificate({ leafDer, pins, nowMs: clock.nowMs() });
  if (proof?.verified) return;
  throw new WritError('INVITE_INVALID', 'the joining node did not prove the key of the identity that it names', {
    nextSteps: ['join from the node itself: writ peer join CODE'],
  });
}
