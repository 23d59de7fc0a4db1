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
  if ((duration === undefined) === (endsAtMs === undefined)) {
    throw new WritError('BAD_REQUEST', 'what is lent ends after a duration, or at a time: one of the two', {
      nextSteps: ['give `duration` or `ends_at_ms`'],
    });
  }
  if (duration !== undefined) return { durationMs: requireDuration('duration', duration) };
  return endsAtMs === undefined ? {} : { endsAtMs };
}

/** What a person types for it. */
export function spanText({ durationMs, endsAtMs }: LeaseSpan, nowMs: number): string {
  return formatDuration(durationMs ?? Math.max(1, (endsAtMs ?? nowMs) - nowMs));
}
