import { quote } from '@writ/core';
import type { Config } from './types.ts';

/** An address that a node opens, or sends to, from its start to its end; another one takes a restart. */
interface OwnAddress {
  readonly key: string;
  /** What it gives, in front of the address. */
  readonly gives: string;
  of(config: Config): string | undefined;
}

const OWN_ADDRESSES: readonly OwnAddress[] = [
  { key: 'node.listen', gives: 'lets peers connect to', of: ({ node }) => node.listen },
  { key: 'gateway.listen', gives: 'serves MCP and events on', of: ({ gateway }) => gateway.listen },
  { key: 'telemetry.traces', gives: 'sends traces to', of: ({ telemetry }) => telemetry.traces },
  { key: 'telemetry.metrics', gives: 'serves metrics on', of: ({ telemetry }) => telemetry.metrics },
];

/** Keys of the addresses that are not the same. */
export function movedAddresses(before: Config, after: Config): readonly string[] {
  return OWN_ADDRESSES.filter(({ of }) => of(before) !== of(after)).map(({ key }) => key);
}

/** Addresses that only `after` has, each as a phrase: of two, nobody can say which is open to fewer. */
export function openedAddresses(before: Config, after: Config): readonly string[] {
  return OWN_ADDRESSES.flatMap(({ gives, of }) => {
    const address = of(after);
    return address === undefined || address === of(before) ? [] : [`${gives} ${quote(address)}`];
  });
}

/** `current` with its addresses as `accepted` has them, and none that it does not have itself. */
export function meetAddresses(accepted: Config, current: Config): Pick<Config, 'node' | 'gateway' | 'telemetry'> {
  const both = (was: string | undefined, is: string | undefined) => (is === undefined ? undefined : was);
  const { listen: own, ...node } = current.node;
  const listen = both(accepted.node.listen, own);
  const http = both(accepted.gateway.listen, current.gateway.listen);
  const traces = both(accepted.telemetry.traces, current.telemetry.traces);
  const metrics = both(accepted.telemetry.metrics, current.telemetry.metrics);
  return {
    node: { ...node, ...(listen === undefined ? {} : { listen }) },
    gateway: http === undefined ? {} : { listen: http },
    telemetry: { ...(traces === undefined ? {} : { traces }), ...(metrics === undefined ? {} : { metrics }) },
  };
}
