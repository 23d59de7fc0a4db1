import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import type { Executed } from '../probe.ts';
import { findProgram } from '../program.ts';
import type { Lookup } from './name-lookups.ts';

/** What a lookup of this machine is built from. */
export interface SystemLookupParts {
  /** Where programs are looked for. */
  readonly path: string;
  /** The Node.js binary. */
  readonly node: string;
  /** The node's own environment; the variables that its resolver heeds are passed on. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Runs an argv to its end, or ends it once `unwanted` is aborted; never rejects. */
  readonly execute: (
    argv: readonly string[],
    how: { readonly env: Readonly<Record<string, string>>; readonly unwanted: AbortSignal },
  ) => Promise<Executed>;
}

/** Does the same as `getent ahosts`, where there is none. */
const SCRIPT = `require('node:dns').lookup(process.argv[1], { all: true, verbatim: true }, (error, found) => {
  if (error) process.exit(2);
  for (const { address } of found) console.log(address);
})`;

/** See resolv.conf(5). */
const RESOLVER = ['LOCALDOMAIN', 'RES_OPTIONS'];

/**
 * Looks names up as the machine does (hosts, DNS and whatever else it asks), in a process for each. Nothing takes a lookup back in
 * a process: it would keep one of the few threads of the node that all names of peers wait for, and the node itself from ending.
 */
export function createSystemLookup({ path, node, env, execute }: SystemLookupParts): Lookup {
  const passed = Object.fromEntries(RESOLVER.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  let finding: Promise<readonly string[]> | undefined;
  const find = async (): Promise<readonly string[]> => {
    const getent = await findProgram('getent', path);
    return getent === undefined ? [node, '-e', SCRIPT, '--'] : [getent, 'ahosts'];
  };
  return async (host, unwanted) => {
    const name = domainToASCII(host);
    // No name of a host begins like this, and a program would take it for an option.
    if (name === '' || name.startsWith('-')) return [];
    finding ??= find();
    const { stdout } = await execute([...(await finding), name], { env: passed, unwanted });
    // What was cut off is no address.
    const lines = stdout.split('\n').slice(0, -1);
    const addresses = lines.map((line) => line.split(/\s/, 1)[0] ?? '').filter((address) => isIP(address) !== 0);
    return [...new Set(addresses)];
  };
}
