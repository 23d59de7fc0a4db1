import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decodeInviteCode, encodeInviteCode, type InviteCode, isMeshAddress } from './invite-code.ts';
import { nodeIdFromFingerprint } from './node-id.ts';

const newCode = (address = 'gpu-box.lan:7420'): InviteCode => ({
  address,
  id: nodeIdFromFingerprint(randomBytes(20)),
  invite: randomUUID(),
  secret: new Uint8Array(randomBytes(16)),
  expiresAtMs: 1_900_000_000_000,
});

describe('an invite code', () => {
  it.each(['gpu-box.lan:7420', '127.0.0.1:1', '[::1]:65535', '[fe80::1]:7420', 'a:80'])(
    'carries %s and all else',
    (address) => {
      const code = newCode(address);
      const text = encodeInviteCode(code);
      expect(text).toMatch(/^writ1-[a-z2-7]+$/);
      expect(decodeInviteCode(text)).toEqual(code);
    },
  );

  it('survives upper case, white space around and a line that was wrapped', () => {
    const code = newCode();
    const text = encodeInviteCode(code);
    expect(decodeInviteCode(text.toUpperCase())).toEqual(code);
    expect(decodeInviteCode(`  ${text.slice(0, 40)}\r\n  ${text.slice(40)}\n`)).toEqual(code);
  });

  it('is refused with any one character changed, left out or added', () => {
    const text = encodeInviteCode(newCode());
    for (let i = 0; i < text.length; i++) {
      const wrongs = [
        `${text.slice(0, i)}${text[i] === 'q' ? 'r' : 'q'}${text.slice(i + 1)}`,
        `${text.slice(0, i)}${text.slice(i + 1)}`,
        `${text.slice(0, i)}q${text.slice(i)}`,
      ];
      for (const wrong of wrongs) {
        // A letter beside its double can be left out or put in on either side.
        if (wrong === text) continue;
        expect(() => decodeInviteCode(wrong), wrong).toThrow(expect.objectContaining({ code: 'INVITE_INVALID' }));
      }
    }
  });

  it.each([
    ['', 'begin'],
    ['hello', 'begin'],
    ['writ1-', 'short'],
    ['writ1-aaaa', 'short'],
    ['writ1-1890', 'characters'],
    ['x'.repeat(100_000), 'too long'],
  ])('%j is refused with the reason', (text, reason) => {
    expect(() => decodeInviteCode(text)).toThrow(
      expect.objectContaining({ code: 'INVITE_INVALID', message: expect.stringContaining(reason) }),
    );
  });

  it.each([
    '',
    'host',
    'host:0',
    'host:65536',
    'host:7420 ',
    '$(id):1',
    '-o:1',
    'a b:1',
    "a';:1",
    '[::1',
    'a\n:1',
    ':1',
  ])('is not made for the address %j', (address) => {
    expect(isMeshAddress(address)).toBe(false);
    expect(() => encodeInviteCode(newCode(address))).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
  });
});
