import { createHash } from 'node:crypto';
import { parseNodeId, quote, readAddress, WritError } from '@writ/core';
import { fromBase32, toBase32 } from './base32.ts';
import { fingerprintOf, nodeIdFromFingerprint } from './node-id.ts';

/** What one invite code carries from one person to another. */
export interface InviteCode {
  /** `host:port` of the inviter's mesh listener. */
  readonly address: string;
  /** Node id of the inviter. */
  readonly id: string;
  /** Id of the invite, a UUID. */
  readonly invite: string;
  /** One-time secret, 16 bytes. */
  readonly secret: Uint8Array;
  /** Whole seconds, in milliseconds since the epoch. */
  readonly expiresAtMs: number;
}

/** Bytes of the secret in an invite: 128 bits, more than anybody can try in ten minutes or ever. */
export const INVITE_SECRET_BYTES = 16;

const MARK = 'writ1-';
const FINGERPRINT_BYTES = 20;
const UUID_BYTES = 16;
const EXPIRY_BYTES = 5;
const CHECKSUM_BYTES = 4;
const FIXED_BYTES = FINGERPRINT_BYTES + UUID_BYTES + INVITE_SECRET_BYTES + EXPIRY_BYTES + CHECKSUM_BYTES;
/** Longest host name and a port, characters. */
const LONGEST_ADDRESS = 260;
const LONGEST_CODE = 2 * (FIXED_BYTES + LONGEST_ADDRESS);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** One copyable line, `writ1-…`, that one double click selects; letter case does not matter. Throws BAD_REQUEST. */
export function encodeInviteCode(code: InviteCode): string {
  if (!isMeshAddress(code.address)) throw new WritError('BAD_REQUEST', `${quote(code.address)} is no address`);
  const seconds = Math.floor(code.expiresAtMs / 1000);
  const isWhole = code.secret.length === INVITE_SECRET_BYTES && UUID.test(code.invite) && seconds < 2 ** 40;
  const id = parseNodeId(code.id);
  if (!isWhole || id === undefined) throw new WritError('BAD_REQUEST', 'not the parts of an invite');
  const expiry = Buffer.alloc(EXPIRY_BYTES);
  expiry.writeUIntBE(seconds, 0, EXPIRY_BYTES);
  const uuid = Buffer.from(code.invite.replaceAll('-', ''), 'hex');
  const body = Buffer.concat([fingerprintOf(id), uuid, code.secret, expiry, Buffer.from(code.address)]);
  return `${MARK}${toBase32(Buffer.concat([body, checksumOf(body)]))}`;
}

/** The reverse of `encodeInviteCode`; throws INVITE_INVALID with the reason. Does not look at the time. */
export function decodeInviteCode(text: string): InviteCode {
  if (text.length > LONGEST_CODE) throw garbled('it is too long');
  // A terminal or a mail may have wrapped the line.
  const code = text.replace(/\s+/g, '').replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  if (!code.startsWith(MARK)) throw garbled(`it does not begin with ${MARK}`);
  const bytes = fromBase32(code.slice(MARK.length));
  if (bytes === undefined) throw garbled('it has characters that no code has, or lacks some');
  if (bytes.length <= FIXED_BYTES) throw garbled('it is too short');
  const body = Buffer.from(bytes.subarray(0, -CHECKSUM_BYTES));
  if (!checksumOf(body).equals(bytes.subarray(-CHECKSUM_BYTES))) throw garbled('its checksum does not fit');

  let at = 0;
  const take = (length: number): Buffer => {
    at += length;
    return body.subarray(at - length, at);
  };
  const id = nodeIdFromFingerprint(take(FINGERPRINT_BYTES));
  const invite = take(UUID_BYTES)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const secret = new Uint8Array(take(INVITE_SECRET_BYTES));
  const expiresAtMs = take(EXPIRY_BYTES).readUIntBE(0, EXPIRY_BYTES) * 1000;
  const address = body.subarray(at).toString('latin1');
  if (!isMeshAddress(address)) throw garbled('its address is none');
  return { address, id, invite, secret, expiresAtMs };
}

/** True for an address that can be dialled: `host:port` as `readAddress` reads it, and not port 0. */
export function isMeshAddress(text: string): boolean {
  return (readAddress(text)?.port ?? 0) > 0;
}

function checksumOf(body: Uint8Array): Buffer {
  return createHash('sha256').update('writ invite code\0').update(body).digest().subarray(0, CHECKSUM_BYTES);
}

function garbled(why: string): WritError {
  return new WritError('INVITE_INVALID', `not an invite code: ${why}`, {
    nextSteps: ['copy the whole line that `writ peer invite` printed'],
  });
}
