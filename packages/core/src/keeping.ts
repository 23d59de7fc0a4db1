/**
 * How long what has ended is kept at least, milliseconds: thirty days. Records of authority are kept so long, results that did not
 * come in time are asked for so long, and no policy keeps tasks for less: else a result could come of a task that is gone, or
 * a request that is sent again find nothing and start a second time.
 */
export const LEAST_KEPT_MS = 30 * 86_400_000;
