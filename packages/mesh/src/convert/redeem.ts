import type { RedeemClientMessage, RedeemServerMessage } from '@writ/pairing';
import type * as wire from '@writ/wire';
import { given, readBytes, readDuration, readId, readName, readNames, refuseField } from './fields.ts';

/** A nonce or a MAC, bytes. */
const MAX_SECRET_BYTES = 64;
const MAX_PEM_CHARS = 8192;
const MAX_ADDRESS_CHARS = 300;
const MAX_OFFERED = 256;

/** A joiner's message, for the wire. */
export function redeemRequestToWire(message: RedeemClientMessage): wire.Init<wire.RedeemRequest> {
  if (message.step === 'proof') return { proof: { mac: message.mac } };
  const { invite, id, certificatePem, label, address, nonce } = message;
  return { hello: { invite, id, certificatePem, label, nonce, ...given('address', address) } };
}

/** A joiner's message, checked. Throws BAD_REQUEST. */
export function redeemRequestFromWire(message: wire.RedeemRequest): RedeemClientMessage {
  const { hello, proof } = message;
  if (proof !== undefined) return { step: 'proof', mac: readBytes('proof.mac', proof.mac, MAX_SECRET_BYTES) };
  if (hello === undefined) return refuseField('step', 'is missing');
  if (hello.address.length > MAX_ADDRESS_CHARS) return refuseField('hello.address', 'is too long');
  return {
    step: 'hello',
    invite: readId('hello.invite', hello.invite),
    id: readId('hello.id', hello.id),
    certificatePem: readPem('hello.certificate_pem', hello.certificatePem),
    label: readName('hello.label', hello.label) ?? refuseField('hello.label', 'is missing'),
    nonce: readBytes('hello.nonce', hello.nonce, MAX_SECRET_BYTES),
    ...given('address', hello.address),
  };
}

/** An inviter's message, for the wire. */
export function redeemResponseToWire(message: RedeemServerMessage): wire.Init<wire.RedeemResponse> {
  switch (message.step) {
    case 'challenge': {
      const { id, certificatePem, nonce, label } = message;
      return { challenge: { id, certificatePem, nonce, label } };
    }
    case 'pending':
      return { pending: { mac: message.mac } };
    case 'accepted': {
      const { label, profiles, workspaces, leaseMs } = message;
      return { accepted: { label, profiles, workspaces, ...given('leaseMs', leaseMs) } };
    }
  }
}

/** An inviter's message, checked. Throws BAD_REQUEST. */
export function redeemResponseFromWire(message: wire.RedeemResponse): RedeemServerMessage {
  const { challenge, pending, accepted } = message;
  if (challenge !== undefined) {
    return {
      step: 'challenge',
      id: readId('challenge.id', challenge.id),
      certificatePem: readPem('challenge.certificate_pem', challenge.certificatePem),
      nonce: readBytes('challenge.nonce', challenge.nonce, MAX_SECRET_BYTES),
      label: readName('challenge.label', challenge.label) ?? refuseField('challenge.label', 'is missing'),
    };
  }
  if (pending !== undefined) return { step: 'pending', mac: readBytes('pending.mac', pending.mac, MAX_SECRET_BYTES) };
  if (accepted === undefined) return refuseField('step', 'is missing');
  return {
    step: 'accepted',
    label: readName('accepted.label', accepted.label) ?? refuseField('accepted.label', 'is missing'),
    profiles: readNames('accepted.profiles', accepted.profiles, MAX_OFFERED),
    workspaces: readNames('accepted.workspaces', accepted.workspaces, MAX_OFFERED),
    ...given('leaseMs', readDuration('accepted.lease_ms', accepted.leaseMs)),
  };
}

function readPem(field: string, pem: string): string {
  return pem.length <= MAX_PEM_CHARS ? pem : refuseField(field, `is longer than ${MAX_PEM_CHARS} characters`);
}
