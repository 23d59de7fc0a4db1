import { isWritError, parseNodeId, WritError } from '@writ/core';
import { isMeshAddress, PAIRING_NONCE_BYTES, type Pin, readIdentityCertificate } from '@writ/identity';

/** Longest name that a peer may call itself, UTF-16 units. */
const LONGEST_LABEL = 256;

/** What one end says about itself, checked. */
export interface Introduction {
  readonly pin: Pin;
  readonly label: string;
  readonly nonce: Uint8Array;
}

/**
 * Checks an introduction: the certificate's key gives the id, and the sizes are right. Throws INVITE_INVALID.
 *
 * @param who for the message, for example `the joining node`
 */
export function readIntroduction(
  message: {
    readonly id: string;
    readonly certificatePem: string;
    readonly nonce: Uint8Array;
    readonly label: string;
  },
  who: string,
): Introduction {
  const pin = readPin(message.certificatePem, who);
  if (parseNodeId(message.id) !== pin.id) throw invalid(`${who} presents a certificate of another node`);
  if (message.nonce.length !== PAIRING_NONCE_BYTES) throw invalid(`${who} sent no nonce`);
  if (message.label.length > LONGEST_LABEL) throw invalid(`${who} sent a name that is too long`);
  return { pin, label: message.label, nonce: message.nonce };
}

/** An address that a joiner gave, where it is one; empty is none. Throws INVITE_INVALID. */
export function readAddress(address: string | undefined): string | undefined {
  if (address === undefined || address === '') return undefined;
  if (!isMeshAddress(address)) throw invalid('the joining node sent an address that is none');
  return address;
}

/** The one refusal of this package. */
export function invalid(why: string, nextSteps: readonly string[] = []): WritError {
  return new WritError('INVITE_INVALID', why, { nextSteps });
}

function readPin(certificatePem: string, who: string): Pin {
  try {
    return readIdentityCertificate(certificatePem).pin;
  } catch (error) {
    throw invalid(`${who}: ${isWritError(error) ? error.message : 'its certificate cannot be read'}`);
  }
}
