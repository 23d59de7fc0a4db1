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

/**
 * Names of secrets are names of files in one folder: nothing leads elsewhere, nothing hides. Letters stay as they are written, since
 * secrets are mostly called as their variables are.
 */
const SECRET_NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;

/** Whether a secret can be called so. */
export function isSecretFileName(input: string): boolean {
  return SECRET_NAME.test(input);
}
