import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { isOwnAddress } from './own-address.ts';

describe('an address of this machine', () => {
  it('is each one of its interfaces, and each of loopback', async () => {
    const listed = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
    const own = ['127.0.0.1', '127.9.9.9', ...listed.map(({ address }) => address)];
    for (const address of own) expect(await isOwnAddress(address), address).toBe(true);
  });

  it('is none of somebody else', async () => {
    expect([await isOwnAddress('198.51.100.77'), await isOwnAddress('2001:db8::77')]).toEqual([false, false]);
  });
});
