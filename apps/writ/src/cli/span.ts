import { formatDuration, parseSpan, quote, WritError } from '@writ/core';
import type { CliContext } from './context.ts';

/**
 * A span as a person types it (`90m`, `8h`, `until 18:00` on the clock of this machine), as a node reads it. Throws
 * BAD_REQUEST for none, for no time at all, and for more than ten years.
 */
export function spanOption(option: string, text: string, { clock, environment }: CliContext): string {
  const ms = parseSpan(text, { nowMs: clock.nowMs(), timeZone: environment.timeZone() });
  if (ms !== undefined) return formatDuration(ms);
  throw new WritError('BAD_REQUEST', `${option}: ${quote(text)} is no time span, or longer than ten years`, {
    nextSteps: ['write it like 90m, 8h, 1h30m or "until 18:00"'],
  });
}
