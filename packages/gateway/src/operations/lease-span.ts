import type { LeaseSpan } from '@writ/authority';
import { formatDuration, WritError } from '@writ/core';
import { requireDuration } from './duration.ts';

/** Until when is lent, as it is typed; one of the two. */
export interface TypedSpan {
  readonly duration?: string | undefined;
  readonly ends_at_ms?: number | undefined;
}

/** Throws BAD_REQUEST for neither, for both, and for what is no duration. */
export function spanOf({ duration, ends_at_ms: endsAtMs }: TypedSpan): LeaseSpan {
  if (duration !== undefined && endsAtMs === undefined) return { durationMs: requireDuration('duration', duration) };
  if (endsAtMs !== undefined && duration === undefined) return { endsAtMs };
  throw new WritError('BAD_REQUEST', 'what is lent ends after a duration, or at a time: one of the two', {
    nextSteps: ['give `duration` or `ends_at_ms`'],
  });
}

/** What a person types for it. An end stays that moment, however late they type: which hour it is on their clock, only they know. */
export function spanText({ durationMs, endsAtMs }: LeaseSpan): string {
  if (durationMs !== undefined) return `--for ${formatDuration(durationMs)}`;
  return `--for "until HH:MM", as the clock there says at ${new Date(endsAtMs).toISOString()}`;
}
