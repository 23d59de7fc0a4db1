import type { RedeemClientMessage } from '@writ/pairing';
import type { RedeemRequest, RedeemResponse } from '@writ/wire';
import { redeemRequestFromWire, redeemResponseToWire } from '../convert/redeem.ts';
import type { ExchangeHandler } from '../server/adapt-handler.ts';
import type { HandlerDeps } from './handler-deps.ts';

/** Feeds the exchange of one invite; everything about it is the pairing package's matter. */
export function createRedeem({
  pairing,
}: Pick<HandlerDeps, 'pairing'>): ExchangeHandler<RedeemRequest, RedeemResponse> {
  return async function* redeem(_context, requests) {
    for await (const message of pairing.serve(readAll(requests))) yield redeemResponseToWire(message);
  };
}

async function* readAll(requests: AsyncIterable<RedeemRequest>): AsyncGenerator<RedeemClientMessage> {
  for await (const request of requests) yield redeemRequestFromWire(request);
}
