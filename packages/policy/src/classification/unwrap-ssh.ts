import { skipOptions } from './options.ts';
import type { Argument, CommandPlace } from './types.ts';
import { joined } from './unwrap-shell.ts';
import type { Unwrapped } from './unwrapped.ts';

const CIPHERS = /^[\w,@.^+-]+$/;
const OPTIONS = {
  flags: ['-n', '-T', '-t', '-q', '-v', '-4', '-6', '-x', '-a', '-C', '-k'],
  valued: ['-p', '-l', '-i', '-o', '-c', '-m', '-b'],
  values: { '-p': /^\d{1,5}$/, '-l': /^[\w.@-]+$/, '-c': CIPHERS, '-m': CIPHERS, '-b': /^[\w.:%-]+$/ },
};

/** Settings that neither run a program here nor lead to another machine than the one named. */
const SETTINGS =
  /^(batchmode|connecttimeout|connectionattempts|serveralive\w+|loglevel|port|user|identityfile|identitiesonly|compression|stricthostkeychecking|tcpkeepalive|requesttty)[= ]/i;

/** `ssh HOST COMMAND …`: a shell of the other machine reads the arguments as one text. */
export function unwrapSsh(args: readonly Argument[], _place: CommandPlace): Unwrapped {
  let isPlain = true;
  const at = skipOptions(args, OPTIONS, (name, value) => {
    if (name === '-o' && !SETTINGS.test(`${value ?? ''} `)) isPlain = false;
  });
  if (at === undefined || !isPlain) return { kind: 'undecided', reason: 'an option of ssh is not known' };
  const host = hostOf(args[at]);
  if (host === undefined) return { kind: 'undecided', reason: 'the host cannot be told' };
  // ssh goes on looking for options behind the host; what follows has to be the command.
  const inside = args.slice(at + 1);
  if (inside[0]?.text.startsWith('-')) return { kind: 'undecided', reason: 'an option stands behind the host' };
  return joined(inside, { host });
}

/** Host as it is compared; `self` is this node, and no other may be called so. */
function hostOf(argument: Argument | undefined): string | undefined {
  if (argument?.shape !== 'literal') return undefined;
  const host = argument.text
    .replace(/^ssh:\/\//, '')
    .replace(/^[^@]*@/, '')
    .toLowerCase();
  return /^[a-z0-9][a-z0-9._-]*$/.test(host) && host !== 'self' ? host : undefined;
}
