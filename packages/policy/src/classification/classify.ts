import type { CommandRule } from '../types.ts';
import { ANSWER, isAnswer } from './answers.ts';
import { aboutWrapper, configuredMatches } from './configured.ts';
import { decidesWhatRuns, isSwitch } from './environment.ts';
import { applyRule, isStricter, type Match, matchesRule, WHATEVER_IT_DOES } from './match.ts';
import { placeOfScript } from './moves.ts';
import { parseArguments } from './options.ts';
import { PACKS } from './packs/index.ts';
import { namesProgram, programOf } from './program.ts';
import { classifyRedirect } from './redirects.ts';
import { MAX_SCRIPT } from './shell-grammar.ts';
import type {
  Argument,
  Assignment,
  BuiltInRule,
  Classification,
  CommandClass,
  CommandPlace,
  InnerCommand,
  ProgramSpec,
  ShellGrammar,
  SimpleCommand,
} from './types.ts';
import { isWrapper, unwrap } from './unwrap.ts';
import type { Unwrapped } from './unwrapped.ts';

export interface ClassifierOptions {
  readonly grammar: ShellGrammar;
  /** `[[commands]]` of the configuration: they add rules, the strictest match wins. */
  readonly commands?: readonly CommandRule[];
}

/** Says what commands are; a value, never an exception. */
export interface CommandClassifier {
  classify(argv: readonly string[], place: CommandPlace): Classification;
}

/** Wrappers inside wrappers, scripts inside scripts. */
const MAX_DEPTH = 16;
/** Most commands in one; more are undecided. */
const MAX_COMMANDS = 256;
/** Longest argument list, characters; a longer one is undecided. */
const MAX_LENGTH = 131_072;
/** Most arguments of one command; more are undecided: each is held against all that every rule knows. */
const MAX_ARGUMENTS = 2048;
const UNKNOWN_RULES: ReadonlySet<string> = new Set(['unknown-program', 'unknown-command']);

interface ProgramRules {
  readonly spec: ProgramSpec;
  readonly rules: readonly BuiltInRule[];
}

/** A classifier with the built-in rules and those of a configuration. */
export function createCommandClassifier(options: ClassifierOptions): CommandClassifier {
  const rules = { grammar: options.grammar, configured: options.commands ?? [], programs: indexPrograms() };
  return {
    classify(argv, place) {
      const walk: Walk = { ...rules, scripts: { left: MAX_SCRIPT } };
      const found: InnerCommand[] = [];
      const length = argv.reduce((sum, argument) => sum + argument.length + 1, 0);
      if (length > MAX_LENGTH) found.push(undecided([], place, `the command is longer than ${MAX_LENGTH} characters`));
      else classifyCommand(walk, argv.map(literal), place, found, 0);
      return summarize(found);
    },
  };
}

/** What nobody could look at: destructive, and for the shell alone. `reason`: why, for people. */
export function undecidedCommand(argv: readonly string[], place: CommandPlace, reason: string): Classification {
  return summarize([undecided(argv.map(literal), place, reason)]);
}

interface Walk {
  readonly grammar: ShellGrammar;
  readonly configured: readonly CommandRule[];
  readonly programs: ReadonlyMap<string, ProgramRules>;
  /** Characters of scripts that may still be parsed for this command. */
  readonly scripts: { left: number };
}

function indexPrograms(): ReadonlyMap<string, ProgramRules> {
  const programs = new Map<string, ProgramRules>();
  for (const { programs: specs, rules } of PACKS) {
    for (const spec of specs) {
      for (const name of spec.names)
        programs.set(name, { spec, rules: rules.filter((rule) => rule.programs.includes(name)) });
    }
  }
  return programs;
}

const literal = (text: string): Argument => ({ text, shape: 'literal' });
const textsOf = (args: readonly Argument[]): readonly string[] => args.map(({ text }) => text);

function whereOf(
  args: readonly Argument[],
  { host, cwd }: CommandPlace,
): Pick<InnerCommand, 'argv' | 'host' | 'unplaced' | 'patterns'> {
  const patterns = textsOf(args.filter(({ shape }) => shape !== 'literal'));
  return {
    argv: textsOf(args),
    host,
    ...(cwd === undefined ? { unplaced: true } : {}),
    ...(patterns.length === 0 ? {} : { patterns }),
  };
}

/** `needs`: what is known to be needed besides. */
function undecided(
  args: readonly Argument[],
  place: CommandPlace,
  reason: string,
  needs: readonly string[] = [],
): InnerCommand {
  const about = { ...whereOf(args, place), targets: [] };
  const all = [...new Set(['destructive', WHATEVER_IT_DOES, ...needs])];
  return { ...about, class: 'destructive', rule: 'undecided', reason, needs: all };
}

function nothing(args: readonly Argument[], place: CommandPlace, needs: readonly string[] = []): InnerCommand {
  const about = { ...whereOf(args, place), targets: [], needs };
  return { ...about, class: 'read', rule: 'wrapper.alone', reason: 'runs nothing' };
}

function classifyCommand(
  walk: Walk,
  args: readonly Argument[],
  place: CommandPlace,
  found: InnerCommand[],
  depth: number,
): void {
  const [first, ...rest] = args;
  if (first?.shape !== 'literal' || !namesProgram(first.text) || args.some(({ text }) => text.includes('\0'))) {
    found.push(undecided(args, place, 'which program runs cannot be told'));
    return;
  }
  if (depth > MAX_DEPTH || found.length > MAX_COMMANDS || args.length > MAX_ARGUMENTS) {
    found.push(undecided(args, place, 'there is too much inside this command'));
    return;
  }
  const { name, isExact } = programOf(first.text, (known) => walk.programs.has(known) || isWrapper(known));
  const inside = unwrap(name, rest, place);
  if (inside.kind === 'plain') {
    found.push(classifyPlain(walk, args, place));
    return;
  }
  if (isExact) classifyInside(walk, { args, place, inside }, found, depth);
  else found.push(undecided(args, place, 'only looks like the program of that name'));
  // What is inside is classified all the same: what the owner says about the wrapper makes it no milder.
  found.push(...aboutWrapper(walk.configured, [name, ...textsOf(rest)], args, place));
}

interface Wrapped {
  readonly args: readonly Argument[];
  readonly place: CommandPlace;
  readonly inside: Exclude<Unwrapped, { readonly kind: 'plain' }>;
}

function classifyInside(walk: Walk, { args, place, inside }: Wrapped, found: InnerCommand[], depth: number): void {
  switch (inside.kind) {
    case 'undecided':
      found.push(undecided(args, place, inside.reason));
      return;
    case 'nothing':
      found.push(nothing(args, place, inside.needs));
      return;
    case 'script':
      classifyScript(walk, args, inside, found, depth);
      return;
    case 'commands': {
      for (const variable of inside.variables) pushVariable(variable, place, found);
      if (inside.needs?.length)
        found.push({ ...nothing(args, place, inside.needs), rule: 'wrapper.reads', reason: 'reads a file' });
      if (inside.own) found.push(classifyPlain(walk, [args[0] as Argument, ...inside.own], place));
      for (const one of inside.commands) classifyCommand(walk, one, inside.place, found, depth + 1);
    }
  }
}

function classifyScript(
  walk: Walk,
  args: readonly Argument[],
  { script, place }: Extract<Unwrapped, { readonly kind: 'script' }>,
  found: InnerCommand[],
  depth: number,
): void {
  walk.scripts.left -= script.length;
  if (walk.scripts.left < 0 && script.length <= MAX_SCRIPT) {
    found.push(undecided(args, place, `its scripts are longer than ${MAX_SCRIPT} characters together`));
    return;
  }
  const parsed = walk.grammar.parse(script);
  if (!parsed.ok) {
    found.push(undecided(args, place, parsed.reason));
    return;
  }
  const here = placeOfScript(parsed.commands, place);
  const before = found.length;
  for (const command of parsed.commands) classifySimple(walk, command, here, found, depth);
  if (found.length > before) return;
  found.push(
    parsed.commands.length === 0 ? undecided(args, place, 'the script holds no command') : nothing(args, place),
  );
}

const SWITCH = 'environment.switch';

function classifySimple(
  walk: Walk,
  command: SimpleCommand,
  place: CommandPlace,
  found: InnerCommand[],
  depth: number,
): void {
  for (const variable of command.assignments) pushVariable(variable, place, found);
  for (const redirect of command.redirects) {
    const write = classifyRedirect(redirect, place);
    if (write) found.push(write);
  }
  if (command.arguments.length > 0) classifyCommand(walk, command.arguments, place, found, depth + 1);
}

function pushVariable(variable: Assignment, { host }: CommandPlace, found: InnerCommand[]): void {
  if (!decidesWhatRuns(variable)) return;
  const rule = isSwitch(variable) ? SWITCH : 'environment.variable';
  const about = { argv: [`${variable.name}=`], host, rule, targets: [] };
  const reason = 'decides what else runs, or where, as far as anybody knows';
  found.push({ ...about, class: 'destructive', reason, needs: ['destructive', WHATEVER_IT_DOES] });
}

function classifyPlain(walk: Walk, args: readonly Argument[], place: CommandPlace): InnerCommand {
  const [first = literal(''), ...rest] = args;
  const { name, isExact } = programOf(first.text, (known) => walk.programs.has(known));
  const program = walk.programs.get(name);
  const { sure, ofFile, waiting } = configuredMatches(walk.configured, [name, ...textsOf(rest)], args, place);
  const builtIn = builtInMatches(program, rest, place);
  // What only looks like a program that is known is nothing milder for it; a rule that names this very file is about it.
  const matches = isExact ? [...builtIn, ...sure] : [...ofFile, ...builtIn, ...sure];
  const strictest = strictestOf(matches);
  const isKnown = isExact || ofFile.some((one) => one === strictest);
  const needs = needsOfAll(builtIn, sure, strictest);
  const judged = judgePlain({ args, place, isExact: isKnown, ...given(program) }, strictest && { ...strictest, needs });
  return withStricter({ ...judged, targets: judged.targets.length > 0 ? targetsOfAll(matches) : [] }, waiting);
}

/** INVARIANT: 6 a window is for all that a command acts on: what one rule sees it do beside another's target has to have one too. */
function targetsOfAll(matches: readonly Match[]): readonly string[] {
  const acting = matches.filter((one) => one.class !== 'read');
  return acting.every(({ targets }) => targets.length > 0)
    ? [...new Set(acting.flatMap(({ targets }) => targets))]
    : [];
}

/**
 * INVARIANT: 1 a command needs what every rule that sees it needs, not the strictest one alone: no option takes a need away. Where the
 * configuration is the strictest, what it says is the owner's own word.
 */
function needsOfAll(
  builtIn: readonly Match[],
  sure: readonly Match[],
  strictest: Match | undefined,
): readonly string[] {
  const isOwners = strictest !== undefined && sure.includes(strictest);
  return [...new Set((isOwners ? sure : [...builtIn, ...sure]).flatMap(({ needs }) => needs))];
}

interface Plain {
  readonly args: readonly Argument[];
  readonly place: CommandPlace;
  readonly isExact: boolean;
  readonly program?: ProgramRules;
}

const given = (program: ProgramRules | undefined): Pick<Plain, 'program'> => (program ? { program } : {});

function judgePlain({ args, place, isExact, program }: Plain, match: Match | undefined): InnerCommand {
  const rest = args.slice(1);
  if (rest.some(({ shape }) => shape === 'any') && !isAnyArguments(program, match)) {
    const reason = 'an argument can become anything, write it out or begin it with a folder';
    return undecided(args, place, reason, match?.needs);
  }
  const about = whereOf(args, place);
  if (match && (isExact || match.class === 'destructive')) return { ...about, ...match };
  if (isExact && program?.spec.evaluates) return undecided(args, place, 'a shell may evaluate what this is given');
  if (program && hasUnknownLead(program, rest))
    return undecided(args, place, 'an option in front of the command is not known');
  const rule = program && isExact ? 'unknown-command' : 'unknown-program';
  const reason = `no rule knows this ${rule === 'unknown-command' ? 'command of the program' : 'program'}`;
  return { ...about, class: 'config-mutation', rule, reason, needs: [WHATEVER_IT_DOES], targets: [] };
}

function strictestOf(matches: readonly Match[]): Match | undefined {
  return matches.reduce<Match | undefined>(
    (best, one) => (!best || isStricter(one.class, best.class) ? one : best),
    undefined,
  );
}

/**
 * INVARIANT: 3 what waits for a person's yes makes nothing known and nothing milder: it leaves the rule that knows the command, or
 * that nobody does, and a target of it opens no window.
 */
function withStricter(command: InnerCommand, waiting: readonly Match[]): InnerCommand {
  const strictest = strictestOf(waiting);
  if (strictest === undefined) return command;
  const needs = [...new Set([...command.needs, ...waiting.flatMap((one) => one.needs)])];
  return isStricter(strictest.class, command.class)
    ? { ...command, class: strictest.class, needs, targets: [] }
    : { ...command, needs };
}

function builtInMatches(
  program: ProgramRules | undefined,
  rest: readonly Argument[],
  place: CommandPlace,
): readonly Match[] {
  if (!program) return [];
  if (isAnswer(program.spec, program.rules, rest)) return [ANSWER];
  const parsed = parseArguments(rest, program.spec);
  return program.rules
    .filter((rule) => matchesRule(rule, parsed))
    .map((rule) => applyRule(rule, program.spec, parsed, place));
}

function isAnyArguments(program: ProgramRules | undefined, match: Match | undefined): boolean {
  return program?.rules.some(({ name, anyArguments }) => name === match?.rule && anyArguments === true) === true;
}

/** Only a program with subcommands can be led astray by an option in front of them. */
function hasUnknownLead({ spec, rules }: ProgramRules, rest: readonly Argument[]): boolean {
  if (!rules.some(({ words }) => words)) return false;
  return parseArguments(rest, spec).options.some(({ before, known }) => before === 0 && !known);
}

/** The strictest of the commands decides; what nobody found is undecided. */
function summarize(commands: readonly InnerCommand[]): Classification {
  const strictest = commands.reduce((best, one) => (isStricter(one.class, best.class) ? one : best));
  const acting = commands.filter((one) => one.class !== 'read' && one.rule !== SWITCH);
  const targets = new Set(acting.flatMap((one) => one.targets));
  // One command whose target nobody knows could be about anything.
  const [target] = acting.every((one) => one.targets.length === 1) && targets.size === 1 ? targets : [];
  return {
    class: strictest.class satisfies CommandClass,
    rule: strictest.rule,
    reason: strictest.reason,
    needs: [...new Set(commands.flatMap(({ needs }) => needs))].sort(),
    ...(target === undefined ? {} : { target }),
    known: !commands.some(({ rule }) => UNKNOWN_RULES.has(rule)),
    commands,
  };
}
