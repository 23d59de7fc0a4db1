import type { Origin } from '@writ/delegation';
import type { Caller } from '../types.ts';

type Shell = NonNullable<Parameters<Origin['apply']>[1]['shell']>;

/** What a caller sent of the shell that it was typed in, as the ends of a task take it; nothing where it sent none. */
// INVARIANT: 7 a task says nothing about how git is asked on this machine: its own clone is all that it sends.
export function shellOf(
  sent: { readonly git?: readonly string[] | undefined; readonly umask?: number | undefined } | undefined,
  { kind }: Caller,
): { readonly shell?: Shell } {
  if (sent === undefined || kind === 'task') return {};
  const { git, umask } = sent;
  const variables = git === undefined ? {} : { variables: variablesOf(git) };
  return { shell: { ...variables, ...(umask === undefined ? {} : { umask }) } };
}

/** Words (`NAME=value`) by their names. */
function variablesOf(words: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}
