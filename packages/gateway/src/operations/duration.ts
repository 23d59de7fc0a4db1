import { parseDuration, quote, WritError } from '@writ/core';

/** A duration in milliseconds. Throws BAD_REQUEST; `what` names the field. */
export function requireDuration(what: string, input: string): number {
  const ms = parseDuration(input);
  if (ms !== undefined) return ms;
  throw new WritError('BAD_REQUEST', `${what}: ${quote(input)} is no duration`, {
    nextSteps: ['write it like 30s, 10m, 8h or 1h30m'],
  });
}
