import type { IncomingMessage } from 'node:http';
import { formatAddress, quote, WritError } from '@writ/core';

/**
 * Refuses what a web page could have a browser send: a request under another name than this listener's (a name that
 * was bound anew to the loopback address), or one that says that it comes from a page of another origin. Throws
 * BAD_REQUEST.
 */
export type HttpGuard = (request: IncomingMessage) => void;

/** Names under which the loopback address is asked for; whoever uses another one was led here by it. */
const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '::1'];

/** A guard of the listener at this loopback address. */
export function createHttpGuard(bound: { readonly host: string; readonly port: number }): HttpGuard {
  const names = [...LOOPBACK_NAMES, bound.host];
  const hosts: ReadonlySet<string> = new Set(
    names.map((host) => formatAddress({ host, port: bound.port }).toLowerCase()),
  );
  return ({ headers }) => {
    const { host, origin } = headers;
    if (host === undefined || !hosts.has(host.toLowerCase())) {
      throw refused(`this listener is not ${quote(host ?? '')}`, `ask for ${formatAddress(bound)}`);
    }
    if (origin !== undefined && !hosts.has(origin.toLowerCase().replace(/^http:\/\//, ''))) {
      throw refused('a page of another origin asks', 'ask from a program, or from a page that this node serves');
    }
    // Browsers that tell where a request comes from are believed where that speaks against it.
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      throw refused('a page of another site asks', 'ask from a program, or from a page that this node serves');
    }
  };
}

function refused(message: string, nextStep: string): WritError {
  return new WritError('BAD_REQUEST', message, { nextSteps: [nextStep] });
}
