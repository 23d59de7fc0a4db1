/** What a command does to the world, mildest first. */
export type CommandClass = 'read' | 'config-mutation' | 'destructive';

/** One argument as far as it is known before the command runs. */
export interface Argument {
  readonly text: string;
  /**
   * `literal`: exactly this · `path`: a pattern that can only become paths, never an option or a subcommand ·
   * `any`: may become anything.
   */
  readonly shape: 'literal' | 'path' | 'any';
  /** Whatever it becomes is one argument; a pattern without this may become several, and what stands behind it moves. */
  readonly isOne?: true;
  /** Folders, as they are written, in one of which it is found; absent: nobody knows. */
  readonly within?: readonly string[];
}

/** A variable that is set for a command, or in a script. */
export interface Assignment {
  readonly name: string;
  readonly value: string;
}

/** `>`, `>>`, `<` and their like with what stands behind. */
export interface Redirect {
  readonly operator: string;
  readonly to: Argument;
}

/** One simple command of a script. A redirect of a group, or an assignment alone, is a command without arguments. */
export interface SimpleCommand {
  readonly arguments: readonly Argument[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly Redirect[];
}

/** A shell text whose every command is known, or why it is not. */
export type ShellScript =
  | { readonly ok: true; readonly commands: readonly SimpleCommand[] }
  | { readonly ok: false; readonly reason: string };

/** Parses shell texts; made once at the start of the process, since loading it is asynchronous. */
export interface ShellGrammar {
  parse(script: string): ShellScript;
}

/** Where a command would run. */
export interface CommandPlace {
  /** `self`, or the host that it is sent to. */
  readonly host: string;
  /** Absolute working directory; absent where it cannot be known. */
  readonly cwd?: string;
  /** Where `cwd` is absent: all folders, absolute, one of which it is; absent: it may be any. */
  readonly near?: readonly string[];
  /** Absolute root of the task's own copy of a workspace; absent: there is none, every path is outside. */
  readonly workspace?: string;
}

/** One command that would run, wrappers taken off. */
export interface InnerCommand {
  readonly argv: readonly string[];
  readonly host: string;
  readonly class: CommandClass;
  /** Name of the rule that decided, for example `git.push-force`, `unknown-program` or `undecided`. */
  readonly rule: string;
  /** Why, for people; lower case, no full stop. */
  readonly reason: string;
  /** Capabilities that it needs. */
  readonly needs: readonly string[];
  /** The folder in which it would run cannot be told: nobody knows which file a relative path is. */
  readonly unplaced?: true;
  /** Arguments that a shell replaces by the names of files; absent where there are none. */
  readonly patterns?: readonly string[];
  /** Canonical `host/kind/name` of what it acts on; empty where that is nothing, or cannot be told. */
  readonly targets: readonly string[];
}

/** What a command is: the strictest of the commands inside. */
export interface Classification {
  readonly class: CommandClass;
  readonly rule: string;
  readonly reason: string;
  readonly needs: readonly string[];
  /** The one thing that everything but reads acts on; absent where there are several, or none: no destructive window. */
  readonly target?: string;
  /** False where a program is unknown: no window covers it except as a listed step of a plan. */
  readonly known: boolean;
  readonly commands: readonly InnerCommand[];
}

/** Names of what a rule acts on, as data. */
export interface TargetSpec {
  readonly kind: string;
  /** Place of the first operand that names a target, subcommands counted; every one after it is another target. */
  readonly from?: number;
  /** Only the operand at this place is the target. */
  readonly only?: number;
  /** Only the last operand is the target. */
  readonly last?: true;
  /** It may be a folder that is written into: a link inside leads elsewhere, so that it gives no target. */
  readonly into?: true;
  /** Option whose value is the target. */
  readonly option?: string;
  /** Prefix of the operands that name targets, for `dd`. */
  readonly prefix?: string;
  /** Context in front of the name: places of operands, or options; where one is missing there is no target. */
  readonly within?: readonly (number | string)[];
  /** Context in front of the name where it is given. */
  readonly withinIfGiven?: readonly string[];
}

/** Where a command lays files whose names nobody sees: its working directory, or what an argument names in its place. */
export interface PlaceSpec {
  /** Options whose value is the folder instead; several at once name none that is known. */
  readonly folders?: readonly string[];
  /** The options mean that in front of the command only. */
  readonly leading?: true;
  /** Operands from this place on, subcommands counted, are the places, in that folder; where there are none, it is the folder. */
  readonly from?: number;
  /** Nothing is overwritten: where no workspace is known, only what the machine, a service or a person depends on counts. */
  readonly light?: true;
  /** Where no folder is named: options with which it goes to what the rule's capabilities are about, and not into a folder. */
  readonly elsewhere?: 'always' | readonly string[];
}

/** One built-in rule. All conditions have to hold. */
export interface BuiltInRule {
  /** `topic.what`. */
  readonly name: string;
  readonly programs: readonly string[];
  /** What the first operands are, each one of a list; absent: anything. */
  readonly words?: readonly (readonly string[])[];
  /** At least one of these options is given, an abbreviation included. */
  readonly options?: readonly string[];
  /** None of these options is given. */
  readonly except?: readonly string[];
  /** At least one operand after `words` matches. */
  readonly operand?: RegExp;
  /** The last operand is one of these. */
  readonly last?: readonly string[];
  /** The first operand after `words` matches. */
  readonly first?: RegExp;
  /** The first operand after `words` does not match, or there is none. */
  readonly firstNot?: RegExp;
  /** All arguments, each behind a line break, look like this; `…` stands for one that is a pattern. */
  readonly written?: RegExp;
  /** The arguments do not look like this. */
  readonly writtenNot?: RegExp;
  /** At most so many operands after `words`; a pattern may become more. */
  readonly most?: number;
  /** At least so many operands after `words`; a pattern may become as many. */
  readonly least?: number;
  /** An option that is given has such a value. */
  readonly value?: { readonly of: readonly string[]; readonly matches: RegExp };
  /** What the SQL texts behind these options, or from this operand on, do together; none is given: `destructive`. */
  readonly sql?: { readonly of?: readonly string[]; readonly from?: number; readonly is: CommandClass };
  /**
   * Where the description of the program does not have every option that is given, a rule of class `read` does not hold, and any other
   * needs the shell besides.
   */
  readonly class: CommandClass;
  readonly needs: readonly string[];
  readonly target?: TargetSpec;
  /** Needs `read_files` where an operand, or one that looks like this, is no path inside the workspace. */
  readonly reads?: true | RegExp;
  /** Options whose value is a file or a folder that is read, as an operand is with `reads`. */
  readonly sources?: readonly string[];
  /** Destructive where what is written lies outside the workspace: the targets, or what is laid in a place. */
  readonly writes?: 'target' | PlaceSpec;
  /** All arguments, as `written`, with which nothing else runs whatever the options are; with others it is no look, and a change needs the shell. */
  readonly plain?: RegExp;
  /** Operands behind `words`, none of which names something else to run; with another it is no look, and a change needs the shell. */
  readonly plainOperands?: RegExp;
  /** No option and no argument of the program writes, runs or loads anything beside: the rule holds with those that nobody knows too. */
  readonly anyArguments?: true;
  /** Stricter rules that decide about examples of this one, by name: it adds what it needs to them, and decides about the others. */
  readonly yieldsTo?: readonly string[];
  /** Commands that the rule has to match. */
  readonly examples: readonly (readonly string[])[];
  /** Commands that it may not match. */
  readonly notExamples: readonly (readonly string[])[];
}

/** Options that do what the command is for, and nothing else: none names a program, a script, settings to obey, or a file to load. */
export interface KnownOptions {
  /** Options that take the next argument where no value is attached; one that looks like an option itself counts as both. */
  readonly valued?: readonly string[];
  /** Options without a value, or with one that is attached. */
  readonly flags?: readonly string[];
  /** What the value of an option looks like, whole, with which it does nothing else: with another nobody described it. */
  readonly values?: Readonly<Record<string, RegExp>>;
}

/** How a program reads its arguments. */
export interface ProgramSpec extends KnownOptions {
  readonly names: readonly string[];
  /** Options behind a command of it (`push`), or behind two words of one (`compose down`), besides those of the program. */
  readonly commands?: Readonly<Record<string, KnownOptions>>;
  /** The first argument is letters of options, with or without a dash. */
  readonly bare?: true;
  /** Options that make names mean something of another place: no target. */
  readonly elsewhere?: readonly string[];
  /** Options that name a folder whose settings are obeyed: the shell is needed, unless it is the workspace. */
  readonly folders?: readonly string[];
  /** Options are words behind one dash. */
  readonly singleDash?: true;
  /** A letter takes the next argument for its value, whatever stands behind it in its own word, which are letters of options again. */
  readonly nextOnly?: true;
  /** Behind the first operand all are operands, those that look like options too. */
  readonly operandsEnd?: true;
  /** The arguments are an expression, in which `--` ends no options. */
  readonly expression?: true;
  /** Options that are known behind the first operand, which is a command of it; in front of it nobody knows whether they take that. */
  readonly behindCommand?: KnownOptions;
  /** A shell may evaluate what it is given: what no rule knows is undecided. */
  readonly evaluates?: true;
  /** Arguments, each the whole of them with its words apart by spaces, with which it says what it is and does nothing: `--version`. */
  readonly answers?: readonly string[];
  /** The option that, alone behind a command, explains it, whatever the command does. */
  readonly explains?: string;
}

/** Rules of one topic. */
export interface RulePack {
  readonly topic: string;
  readonly programs: readonly ProgramSpec[];
  readonly rules: readonly BuiltInRule[];
}
