import { networkInterfaces } from 'node:os';

const WILDCARDS: readonly string[] = ['0.0.0.0', '[::]', '::', ''];

/** `host:port` as its two parts; the host keeps the brackets of IPv6. */
function splitAddress(address: string): { host: string; port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at), port: Number(address.slice(at + 1)) };
}

/**
 * The address that an invite names: where the node listens, or, where that is every interface, the first IPv4
 * address of this machine that is not the loopback one.
 */
export function advertisedAddress(listen: string, boundPort: number): string {
  const { host } = splitAddress(listen);
  if (!WILDCARDS.includes(host)) return `${host}:${boundPort}`;
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find((address) => address.family === 'IPv4' && !address.internal);
  return `${outside?.address ?? '127.0.0.1'}:${boundPort}`;
}
