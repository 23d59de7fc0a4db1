import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Logger, Random } from '@writ/core';
import type { NetworkRule } from './destination.ts';
import { type EgressProxy, openEgressProxy } from './egress-proxy.ts';
import { createNameLookups, type Lookup } from './name-lookups.ts';
import { isOwnAddress } from './own-address.ts';

/** Opens a proxy for each run that has a network. */
export interface Egress {
  open(rule: NetworkRule): Promise<EgressProxy>;
}

const NAME_BYTES = 4;

/** The proxies of a node, with their sockets in `folder`, which is theirs alone: what an earlier node left there is removed. */
export function createEgress(options: {
  readonly folder: string;
  readonly lookup: Lookup;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}): Egress {
  const { folder, lookup, clock, random, logger } = options;
  const lookups = createNameLookups({ lookup, clock });
  let ready: Promise<unknown> | undefined;
  return {
    async open(rule) {
      ready ??= rm(folder, { recursive: true, force: true }).then(() =>
        mkdir(folder, { recursive: true, mode: 0o700 }),
      );
      await ready;
      // A socket's address is short, so the name is.
      const socket = join(folder, Buffer.from(random.bytes(NAME_BYTES)).toString('hex'));
      const names = lookups.open();
      const parts = { rule, socket, lookup: names.find, isOwn: isOwnAddress, clock, logger };
      const proxy = await openEgressProxy(parts);
      const close = async (): Promise<void> => {
        names.close();
        await proxy.close();
      };
      return { ...proxy, close };
    },
  };
}
