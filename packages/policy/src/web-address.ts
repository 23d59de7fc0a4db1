/** Why a text is no address of the web, for a message that repeats nothing of it. */
export const NO_WEB_ADDRESS = 'has to be an http or https URL without a name, a password and a fragment';

/** The URL of a server over HTTP; undefined for other schemes, and for one that holds a name, a password or a fragment. */
export function readWebAddress(written: string): URL | undefined {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  const isPlain = url !== undefined && url.username === '' && url.password === '' && url.hash === '';
  return isPlain && /^https?:$/.test(url.protocol) ? url : undefined;
}
