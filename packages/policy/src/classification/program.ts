const SYSTEM_FOLDERS =
  /^((\/usr(\/local)?)?\/s?bin|\/opt\/homebrew\/s?bin|\/snap\/bin|\/run\/current-system\/sw\/bin)$/;

/** Whether programs of this folder (absolute, no slash at its end) are those of the system. */
export function isSystemFolder(folder: string): boolean {
  return SYSTEM_FOLDERS.test(folder);
}

/** Longest name that is looked at for a version, characters. */
const LONGEST_NAME = 64;

/** Which program a first argument names. */
export interface ProgramName {
  /** Without its folder, lower case, and without a version behind it where only the plain name is known. */
  readonly name: string;
  /** False where it only looks like the program of that name: another folder, other letters, or a number behind them. */
  readonly isExact: boolean;
}

/** What a shell takes for a word of its own in front of a command, wherever a grammar sees a program there. */
const RESERVED: ReadonlySet<string> = new Set(
  '! { } [[ ]] always case do done elif else end esac fi for foreach function if in repeat select then until while'.split(
    ' ',
  ),
);

/**
 * Whether a text can be the name of a program. A word that begins as an option does, sets a variable, or is one of a shell's own stands
 * in front of a command: the one that runs stands behind, and nobody has looked at it.
 */
export function namesProgram(text: string): boolean {
  return text !== '' && !/^[-+]|=/.test(text) && !RESERVED.has(text);
}

/**
 * The program that `text` names. Some file systems do not tell `RM` from `rm`, and a file of the workspace may be called
 * `ls`: both are looked up by their plain name, and never count as the milder for it.
 */
export function programOf(text: string, isKnown: (name: string) => boolean): ProgramName {
  const base = text.slice(text.lastIndexOf('/') + 1);
  const folder = text.slice(0, text.length - base.length);
  const lower = base.toLowerCase();
  const plain = lower.length > LONGEST_NAME ? lower : lower.replace(/-?\d+(\.\d+)*$/, '');
  const name = !isKnown(lower) && isKnown(plain) ? plain : lower;
  // `diff3` is no `diff`: a number behind a name may be a version, and may be another program.
  return { name, isExact: base === name && (folder === '' || isSystemFolder(folder.slice(0, -1))) };
}
