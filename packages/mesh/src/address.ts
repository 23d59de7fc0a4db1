import { quote, WritError } from '@writ/core';

/** Where a node listens or is reached. */
export interface HostPort {
  /** Name or IP address; an IPv6 address without its brackets. */
  readonly host: string;
  readonly port: number;
}

const ADDRESS = /^(?:\[([0-9a-fA-F:.]{2,45})\]|([A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9])?)):(\d{1,5})$/;

/** Reads `host:port`, `1.2.3.4:port` or `[::1]:port`; throws BAD_REQUEST. Port 0 is for listening only. */
export function parseAddress(text: string): HostPort {
  const [, v6, name, digits] = ADDRESS.exec(text) ?? [];
  const host = v6 ?? name;
  const port = Number(digits);
  if (host === undefined || !(port <= 65_535)) {
    throw new WritError('BAD_REQUEST', `${quote(text)} is no mesh address`, {
      nextSteps: ['write it as `host:port`, for example `gpu-box.local:7443`'],
    });
  }
  return { host, port };
}

/** The reverse of `parseAddress`. */
export function formatAddress({ host, port }: HostPort): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
