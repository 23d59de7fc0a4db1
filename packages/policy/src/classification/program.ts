const SYSTEM_FOLDERS =
  /^((\/usr(\/local)?)?\/s?bin|\/opt\/homebrew\/s?bin|\/snap\/bin|\/run\/current-system\/sw\/bin)$/;

/** Whether programs of this folder (absolute, no slash at its end) are those of the system. */
export function isSystemFolder(folder: string): boolean {
  return SYSTEM_FOLDERS.test(folder);
}

/** Which program a first argument names. */
export interface ProgramName {
  /** Without its folder, lower case, and without a version behind it where only the plain name is known. */
  readonly name: string;
  /** False where it only looks like the program of that name: another folder, other letters, or a number behind them. */
  readonly isExact: boolean;
}

/**
 * The program that `text` names. Some file systems do not tell `RM` from `rm`, and a file of the workspace may be called
 * `ls`: both are looked up by their plain name, and never count as the milder for it.
 */
export function programOf(text: string, isKnown: (name: string) => boolean): ProgramName {
  const base = text.slice(text.lastIndexOf('/') + 1);
  const folder = text.slice(0, text.length - base.length);
  const lower = base.toLowerCase();
  const plain = lower.replace(/-?\d+(\.\d+)*$/, '');
  const name = !isKnown(lower) && isKnown(plain) ? plain : lower;
  // `diff3` is no `diff`: a number behind a name may be a version, and may be another program.
  return { name, isExact: base === name && (folder === '' || isSystemFolder(folder.slice(0, -1))) };
}
