import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import { hasErrno } from '@writ/core';

/** Whether an address is this machine's own: what is sent there goes to its own services, whatever the network outside. */
export type IsOwnAddress = (address: string) => Promise<boolean>;

/**
 * Asks the kernel, now: what a program may listen at is the machine's own, also on an interface that is not connected. Where
 * it cannot be found out, it is.
 */
export async function isOwnAddress(address: string): Promise<boolean> {
  const socket = createSocket({ type: isIP(address) === 6 ? 'udp6' : 'udp4' });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind({ address, port: 0, exclusive: true }, resolve);
    });
    return true;
  } catch (error) {
    return !hasErrno(error, 'EADDRNOTAVAIL') && !hasErrno(error, 'EAFNOSUPPORT');
  } finally {
    socket.close();
  }
}
