import { createInterface } from 'node:readline/promises';
import { WritError } from '@writ/core';
import type { CliContext } from './context.ts';

/** Option of every command that does what cannot be undone. */
export interface ConfirmOptions {
  readonly yes?: boolean;
}

/** The option that stands for a yes. */
export const YES_OPTION = ['-y, --yes', 'do it without asking; it cannot be undone'] as const;

/**
 * Asks for a yes before something that cannot be undone. Throws CANCELLED for anything but a yes, and BAD_REQUEST where
 * nobody sits at a terminal who could be asked; `retype` is the command that would do it, `unless` where it
 * would not.
 */
export async function confirm(
  { streams, output, signal }: CliContext,
  { yes }: ConfirmOptions,
  {
    what,
    retype,
    unless = [],
  }: { readonly what: string; readonly retype: string; readonly unless?: readonly string[] },
): Promise<void> {
  if (yes === true) return;
  if (output.json || streams.in.isTTY !== true || streams.err.isTTY !== true) {
    throw new WritError('BAD_REQUEST', `${what}; this cannot be undone, and nobody is at a terminal to say yes`, {
      nextSteps: [`if that is what you want: ${retype} --yes`, ...unless],
    });
  }
  const lines = createInterface({ input: streams.in, output: streams.err });
  try {
    const typed = await lines.question(`${what}; this cannot be undone. Go on? [y/N] `, { signal }).catch(() => '');
    if (!/^y(es)?$/i.test(typed.trim())) throw new WritError('CANCELLED', 'nothing was done');
  } finally {
    lines.close();
  }
}
