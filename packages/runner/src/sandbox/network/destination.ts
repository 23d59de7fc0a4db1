import { BlockList, isIP } from 'node:net';
import type { IsOwnAddress } from './own-address.ts';

/** `allow`: all but this machine and its link · a list of `host:port`. */
export type NetworkRule = 'allow' | readonly string[];

/** Where a program wants to go. `host` is in lower case, without brackets and without a final dot. */
export interface Destination {
  readonly host: string;
  readonly port: number;
}

const PORTS = 65_535;

/** Reads `host:port` or `[address]:port`; undefined where it is neither. */
export function parseDestination(text: string, defaultPort?: number): Destination | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/@\s]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = (bracketed ?? plain ?? '').toLowerCase().replace(/\.$/, '');
  const port = digits === undefined ? (defaultPort ?? 0) : Number(digits);
  if (host === '' || port < 1 || port > PORTS || (bracketed !== undefined && isIP(host) !== 6)) return undefined;
  return { host, port };
}

/** As the configuration writes it. */
export function formatDestination({ host, port }: Destination): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/** Whether a rule names this host and port, exactly. What it resolves to is another question. */
export function isNamed(rule: NetworkRule, destination: Destination): boolean {
  return rule === 'allow' || rule.includes(formatDestination(destination));
}

/**
 * Whether a rule lets a program reach this address, as `plainAddress` writes it. A name of a list that leads to this machine,
 * its neighbours or a private network is no way there: whoever answers for the name is not whoever wrote the list. An address
 * that the list names itself is.
 */
export async function mayReach(
  rule: NetworkRule,
  { host: plain, port }: Destination,
  isOwn: IsOwnAddress,
): Promise<boolean> {
  const version = isIP(plain);
  if (version === 0) return false;
  const family = version === 6 ? 'ipv6' : 'ipv4';
  if (rule !== 'allow' && rule.includes(formatDestination({ host: plain, port }))) return true;
  if (LOCAL.check(plain, family) || (rule !== 'allow' && PRIVATE.check(plain, family))) return false;
  return !(await isOwn(plain));
}

/** An address without its disguise: `::ffff:127.0.0.1` is 127.0.0.1, however it is written. */
export function plainAddress(address: string): string {
  if (isIP(address) !== 6 || address.includes('%')) return address;
  const { hostname } = new URL(`http://[${address}]`);
  const [, high = '', low = ''] = /^\[::(?:ffff:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname) ?? [];
  if (high === '') return hostname.slice(1, -1);
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
}

/** This machine, its link, what is nobody's or everybody's address, and what holds an address of version 4 that is not looked at. */
const LOCAL = blockList([
  ...['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::/128', '::1/128', 'fe80::/10', 'ff00::/8'],
  ...['::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '2001::/32', '2002::/16'],
]);

/** Networks of somebody's own, and what the Internet gives to nobody (documentation, measurements): only a private network uses it. */
const PRIVATE = blockList([
  ...['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['192.0.2.0/24', '192.88.99.0/24', '198.51.100.0/24', '203.0.113.0/24'],
  ...['fc00::/7', 'fec0::/10', '100::/64', '2001:db8::/32', '3fff::/20', '5f00::/16'],
]);

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits = ''] = range.split('/');
    list.addSubnet(network, Number(bits), isIP(network) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}
