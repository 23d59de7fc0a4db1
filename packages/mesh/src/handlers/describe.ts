import { WritError } from '@writ/core';
import type { DescribeRequest, DescribeResponse } from '@writ/wire';
import { descriptionToWire } from '../convert/description.ts';
import type { UnaryHandler } from '../server/adapt-handler.ts';
import { callingPeer, type HandlerDeps } from './handler-deps.ts';

/** Who this node is and what the caller may ask of it. */
export function createDescribe(deps: HandlerDeps): UnaryHandler<DescribeRequest, DescribeResponse> {
  const { identity, engine, peers, name, version } = deps;
  return async (context) => {
    const peer = peers.peer(callingPeer(context));
    if (peer === undefined) throw new WritError('PEER_UNKNOWN', 'this node does not know your node');
    return descriptionToWire({ id: identity.public.id, name, version }, engine.snapshot(), peer);
  };
}
