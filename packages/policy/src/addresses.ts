import { isLoopback, readAddress } from '@writ/core';
import { text, unshownText } from './readers.ts';
import { NO_WEB_ADDRESS, readWebAddress } from './web-address.ts';

/** Where a node listens for its peers. */
export const listenAddress = text('an address such as "0.0.0.0:7420"', (written) =>
  readAddress(written) === undefined ? undefined : written,
);
/** Where traces go; what was written is repeated nowhere. */
export const traceAddress = unshownText(
  'a URL such as "http://127.0.0.1:4318/v1/traces"',
  NO_WEB_ADDRESS,
  (written) => readWebAddress(written)?.href,
);

/** Where programs of this machine are served. */
export const loopbackAddress = text('a loopback address such as "127.0.0.1:7421"', (written) =>
  isLoopback(readAddress(written)?.host ?? '') ? written : undefined,
);
/** Where a peer is reached: a port of its own. */
export const dialAddress = text('an address such as "laptop.lan:7420"', (written) =>
  (readAddress(written)?.port ?? 0) > 0 ? written : undefined,
);
