import { lookup as resolveName } from 'node:dns/promises';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Logger, Random } from '@writ/core';
import type { NetworkRule } from './destination.ts';
import { type EgressProxy, type Lookup, openEgressProxy } from './egress-proxy.ts';
import { isOwnAddress } from './own-address.ts';

/** Opens a proxy for each run that has a network. */
export interface Egress {
  open(rule: NetworkRule): Promise<EgressProxy>;
}

const NAME_BYTES = 4;

/** The proxies of a node, with their sockets in `folder`, which is theirs alone: what an earlier node left there is removed. */
export function createEgress(options: {
  readonly folder: string;
  readonly lookup?: Lookup;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}): Egress {
  const { folder, lookup = systemLookup, clock, random, logger } = options;
  let ready: Promise<unknown> | undefined;
  return {
    async open(rule) {
      ready ??= rm(folder, { recursive: true, force: true }).then(() =>
        mkdir(folder, { recursive: true, mode: 0o700 }),
      );
      await ready;
      // A socket's address is short, so the name is.
      const socket = join(folder, Buffer.from(random.bytes(NAME_BYTES)).toString('hex'));
      return openEgressProxy({ rule, socket, lookup, isOwn: isOwnAddress, clock, logger });
    },
  };
}

async function systemLookup(host: string): Promise<readonly string[]> {
  return (await resolveName(host, { all: true, verbatim: true })).map(({ address }) => address);
}
