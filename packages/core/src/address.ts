import { WritError } from './errors.ts';
import { quote } from './text.ts';

/** Where a node listens or is reached. */
export interface HostPort {
  /** Name or IP address; an IPv6 address without its brackets. */
  readonly host: string;
  /** 0 to 65535; 0 is for listening only. */
  readonly port: number;
}

/** Longest `host:port`: a name of 254 characters, a colon and five digits. */
const LONGEST_ADDRESS = 260;
/** No host begins or ends with what a shell or a command line would take for something else. */
const ADDRESS = /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9])?)):(0|[1-9]\d{0,4})$/;

/** The one grammar of addresses: `host:port`, `1.2.3.4:port` or `[::1]:port`; undefined for anything else. */
export function readAddress(text: string): HostPort | undefined {
  const [, v6, name, digits] = (text.length <= LONGEST_ADDRESS && ADDRESS.exec(text)) || [];
  const host = v6 ?? name;
  const port = Number(digits);
  return host === undefined || !(port <= 65_535) ? undefined : { host, port };
}

/** Like `readAddress`; throws BAD_REQUEST. */
export function parseAddress(text: string): HostPort {
  const address = readAddress(text);
  if (address !== undefined) return address;
  throw new WritError('BAD_REQUEST', `${quote(text)} is no mesh address`, {
    nextSteps: ['write it as `host:port`, for example `gpu-box.local:7443`'],
  });
}

/** The reverse of `parseAddress`. */
export function formatAddress({ host, port }: HostPort): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Whether a host is this machine itself, as it is written: `localhost`, `127.x.x.x` or `::1`. */
export function isLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
