import { formatDuration, isUntil, parseSpan, quote, WritError } from '@writ/core';
import type { CliContext } from './context.ts';

/**
 * A span as a person types it (`90m`, `8h`, `until 18:00` on the clock of this machine), as a node reads it. Throws
 * BAD_REQUEST for none, for no time at all, and for more than ten years.
 */
export function spanOption(option: string, text: string, context: CliContext): string {
  return formatDuration(readSpan(option, text, context, context.clock.nowMs()));
}

/**
 * The same where the time runs from a yes on that comes who knows when: a moment would be another one. Throws as `spanOption` does,
 * and for a moment.
 */
export function spanFromYes(option: string, text: string, context: CliContext): string {
  if (!isUntil(text)) return spanOption(option, text, context);
  throw new WritError('BAD_REQUEST', `${option}: it begins with the yes, so that it has no hour at which it ends`, {
    nextSteps: [
      `say how long, such as ${option} 2h`,
      'whoever lends can say until when: writ lease grant PEER PROFILE --for "until 18:00"',
    ],
  });
}

/**
 * The same where a time is told as that: what ends at 18:00 ends then, however late somebody says yes to it. Throws as
 * `spanOption` does.
 */
export function lendingOption(
  option: string,
  text: string,
  context: CliContext,
): { readonly duration: string } | { readonly ends_at_ms: number } {
  const nowMs = context.clock.nowMs();
  const ms = readSpan(option, text, context, nowMs);
  return isUntil(text) ? { ends_at_ms: nowMs + ms } : { duration: formatDuration(ms) };
}

function readSpan(option: string, text: string, { environment }: CliContext, nowMs: number): number {
  const ms = parseSpan(text, { nowMs, timeZone: environment.timeZone() });
  if (ms !== undefined) return ms;
  throw new WritError('BAD_REQUEST', `${option}: ${quote(text)} is no time span, or longer than ten years`, {
    nextSteps: ['write it like 90m, 8h, 1h30m or "until 18:00"'],
  });
}
