import type { Network } from './types.ts';

/** One spelling of each network: a list sorted, without doubles, in lower case; an empty one is `deny`. */
export function normalizeNetwork(network: Network): Network {
  if (typeof network === 'string') return network;
  const hosts = [...new Set(network.map((host) => host.toLowerCase()))].sort();
  return hosts.length === 0 ? 'deny' : hosts;
}

/** True where everything that `inner` reaches is reached by `outer`. */
export function networkWithin(inner: Network, outer: Network): boolean {
  if (inner === 'deny' || outer === 'allow') return true;
  if (typeof inner === 'string' || typeof outer === 'string') return false;
  return inner.every((host) => outer.includes(host));
}

/** What both reach. */
export function meetNetworks(a: Network, b: Network): Network {
  if (a === 'deny' || b === 'deny') return 'deny';
  if (a === 'allow') return b;
  if (b === 'allow') return a;
  return normalizeNetwork(a.filter((host) => b.includes(host)));
}

/** For people. */
export function describeNetwork(network: Network): string {
  return typeof network === 'string' ? network : network.join(', ');
}
