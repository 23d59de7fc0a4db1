import { isPlainService } from './units.ts';

/** What the operands of a listed call may be. */
export type Operands =
  /** There may be none. */
  | 'none'
  /** Names: of services, packages, hosts; never a path. */
  | 'names'
  /** Names of services that the machine does not stand on. */
  | 'services'
  /** Names of packages: never a file, an address, or what a manager could take for one. */
  | 'packages'
  /** The same, without a dot: some managers take a name with one for a pattern where no package has it. */
  | 'plain-packages'
  /** Anything: it is only printed. */
  | 'words'
  /** Paths of what it acts on. */
  | 'paths'
  /** A pattern, then paths of what is read. */
  | 'pattern-paths'
  /** Revisions, and paths inside the repository. */
  | 'revisions';

/**
 * One way of calling a program that is known whole: whatever the options and operands are that fit, it does what its list says,
 * and starts no other program.
 */
export interface ListedCall {
  readonly programs: readonly string[];
  /** What the first operand is; absent: the program has no commands. */
  readonly words?: readonly string[];
  /** What every option looks like that takes no value, whole. */
  readonly flags?: RegExp;
  /** Options that take the next argument, and what that looks like, whole. */
  readonly valued?: Readonly<Record<string, RegExp>>;
  readonly operands: Operands;
  /** It reads a repository, and obeys the configuration of that. */
  readonly repository?: true;
}

/** The operands behind the command's word; undefined where an option is not listed. */
export function operandsOf(call: ListedCall, args: readonly string[]): readonly string[] | undefined {
  const operands: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const argument = args[at] ?? '';
    const value = Object.hasOwn(call.valued ?? {}, argument) ? call.valued?.[argument] : undefined;
    if (value !== undefined) {
      at += 1;
      if (!value.test(args[at] ?? '')) return undefined;
    } else if (!argument.startsWith('-')) operands.push(argument);
    else if (call.operands !== 'words' && !call.flags?.test(argument)) return undefined;
  }
  if (call.words === undefined) return operands;
  return call.words.includes(operands[0] ?? '') ? operands.slice(1) : undefined;
}

/** What of the operands is read as a file; undefined where one of them is not what it may be. */
export function pathsOf(call: ListedCall, operands: readonly string[]): readonly string[] | undefined {
  switch (call.operands) {
    case 'words':
      return [];
    case 'none':
      return operands.length === 0 ? [] : undefined;
    case 'names':
      return operands.every((operand) => NAME.test(operand)) ? [] : undefined;
    case 'services':
      return operands.every(isPlainService) ? [] : undefined;
    case 'plain-packages':
      return operands.every((operand) => PACKAGE.test(operand) && !operand.includes('.')) ? [] : undefined;
    case 'packages':
      return operands.every((operand) => PACKAGE.test(operand) && !ARCHIVE.test(operand)) ? [] : undefined;
    case 'revisions':
      // Paths outside the repository make it read any two files.
      return operands.every((operand) => !operand.startsWith('/') && !operand.split(/[/:]/).includes('..'))
        ? []
        : undefined;
    case 'paths':
      return operands.length === 0 ? ['.'] : operands;
    case 'pattern-paths':
      return operands.length <= 1 ? ['.'] : operands.slice(1);
  }
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9@._:+~-]*$/;
/** A dash at its end takes the package away. */
const PACKAGE = /^[A-Za-z0-9]([A-Za-z0-9@._+~-]*[A-Za-z0-9._+~])?$/;
/** Managers take a name that ends so for a file of the folder, without a slash in front. */
const ARCHIVE =
  /\.([drs]?rpm|deb|dsc|changes|apk|snap|flatpak|flatpakref|flatpakrepo|rb|json|whl|egg|gem|tar|tgz|txz|tbz2?|zip|gz|xz|bz2|zst)$/i;
