import { type Client, type ClientDuplexStream, Metadata } from '@grpc/grpc-js';
import { type Clock, WritError } from '@writ/core';
import type { NodeIdentity } from '@writ/identity';
import type { RedeemClientMessage, RedeemServerMessage, RedeemTransport } from '@writ/pairing';
import { type Init, loadServices, type MeshService, type RedeemRequest, type RedeemResponse } from '@writ/wire';
import { redeemRequestToWire, redeemResponseFromWire } from '../convert/redeem.ts';
import { readStream } from './calls.ts';
import { openChannel } from './channel.ts';
import { failureOf } from './failure.ts';
import { probeIdentity } from './probe-identity.ts';

/** Time until the inviter must show itself, milliseconds. */
const DEADLINE_MS = 10_000;

/** Dials the inviter of an invite; only a node whose identity has the id of the invite is ever spoken to. */
export function createRedeemTransport(deps: {
  readonly identity: NodeIdentity;
  readonly clock: Clock;
}): RedeemTransport {
  const { identity, clock } = deps;
  const { mesh } = loadServices();
  return {
    async *redeem(target, messages, signal) {
      const pin = await probeIdentity(target, clock, signal);
      const client = openChannel(identity, pin, target.address, { clock });
      const peer = { label: target.address, address: target.address };
      try {
        yield* exchange(client, mesh, messages, { deadlineMs: DEADLINE_MS, signal, clock, peer });
      } catch (error) {
        throw aboutInvite(failureOf(error, peer));
      } finally {
        client.close();
      }
    },
  };
}

/** A node without an open invite knows no stranger; to somebody who holds a code that says what the code is worth. */
function aboutInvite(error: WritError): WritError {
  if (error.code !== 'PEER_UNKNOWN') return error;
  return new WritError('INVITE_INVALID', 'this invite is wrong, used or expired', {
    nextSteps: ['ask for a new invite'],
    cause: error,
  });
}

async function* exchange(
  client: Client,
  mesh: MeshService,
  messages: AsyncIterable<RedeemClientMessage>,
  bounds: Parameters<typeof readStream>[1],
): AsyncGenerator<RedeemServerMessage> {
  const { path, requestSerialize, responseDeserialize } = mesh.Redeem;
  const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, new Metadata());
  let failed: unknown;
  sendAll(call, messages).catch((error: unknown) => {
    failed = error;
    call.cancel();
  });
  try {
    for await (const response of readStream(call, bounds)) yield redeemResponseFromWire(response);
  } catch (error) {
    throw failed ?? error;
  }
}

async function sendAll(
  call: ClientDuplexStream<Init<RedeemRequest>, RedeemResponse>,
  messages: AsyncIterable<RedeemClientMessage>,
): Promise<void> {
  for await (const message of messages) call.write(redeemRequestToWire(message));
  call.end();
}
