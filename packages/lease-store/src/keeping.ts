/** How long what has ended is still shown, milliseconds: thirty days. */
export const KEEP_ENDED_MS = 30 * 86_400_000;
