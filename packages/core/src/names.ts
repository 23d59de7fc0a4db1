/** Folded form of every name: profiles, peers, workspaces, runners, agents. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/**
 * The folded form of `input` (ASCII letters lower-cased, nothing else changed), or undefined where it is no name.
 * The folded form is what is stored, signed, shown and compared, exactly.
 */
export function foldName(input: string): string | undefined {
  const folded = input.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return NAME.test(folded) ? folded : undefined;
}
