import { quote } from '@writ/core';
import { isLedByFolder } from './obeys-folder.ts';
import { isMany, isOption, type ParsedArguments } from './options.ts';
import { absolutePath, isInsideWorkspace } from './paths.ts';
import { laysInside } from './places.ts';
import { classOfSql, runsNothing, staysInDatabase } from './sql-text.ts';
import { argumentsOf, targetsOf } from './targets.ts';
import type { Argument, BuiltInRule, CommandClass, CommandPlace, ProgramSpec } from './types.ts';

/**
 * What a command needs of which nobody can say what it does: no other capability is about it.
 * INVARIANT: 1 a yes adds no capability, so that no profile without the shell runs what only a shell may.
 */
export const WHATEVER_IT_DOES = 'shell';

/** What a rule says about a command that it matches. */
export interface Match {
  readonly rule: string;
  readonly class: CommandClass;
  readonly needs: readonly string[];
  readonly targets: readonly string[];
  readonly reason: string;
}

const STRICTNESS: Readonly<Record<CommandClass, number>> = { read: 0, 'config-mutation': 1, destructive: 2 };

/** True where `a` is stricter than `b`. */
export function isStricter(a: CommandClass, b: CommandClass): boolean {
  return STRICTNESS[a] > STRICTNESS[b];
}

/** True where every condition of the rule holds. */
export function matchesRule(rule: BuiltInRule, parsed: ParsedArguments): boolean {
  const words = rule.words ?? [];
  const { operands, options } = parsed;
  const isWords = words.every((one, at) => {
    const operand = operands[at];
    return operand?.shape === 'literal' && one.includes(operand.text);
  });
  // An option nobody knows may have taken the word behind it, so that a milder rule cannot be sure of its words.
  const isMilder = rule.class !== 'destructive' && rule.writes === undefined;
  const isBlurred = isMilder && options.some((one) => !one.known && one.before < words.length);
  return (
    isWords &&
    !isBlurred &&
    (rule.class !== 'read' || isPlain(rule, parsed)) &&
    matchesWritten(rule, parsed) &&
    matchesOptions(rule, parsed) &&
    matchesOperands(rule, parsed)
  );
}

/** INVARIANT: 5 a look whose arguments may name something else is no look. */
function isPlain(rule: BuiltInRule, parsed: ParsedArguments): boolean {
  return rule.plain?.test(parsed.written) !== false && isPlainOperands(rule, parsed);
}

function isPlainOperands({ words, plainOperands }: BuiltInRule, { operands }: ParsedArguments): boolean {
  return operands.slice(words?.length ?? 0).every(({ text }) => plainOperands?.test(text) !== false);
}

function matchesWritten({ written: like, writtenNot: unlike }: BuiltInRule, { written }: ParsedArguments): boolean {
  return like?.test(written) !== false && unlike?.test(written) !== true;
}

function matchesOptions(rule: BuiltInRule, parsed: ParsedArguments): boolean {
  const { options } = parsed;
  const { options: wanted, except, value } = rule;
  // INVARIANT: 5 an option that nobody knows may name a program, or a file to write: what has one is no look.
  const isLook = rule.class === 'read' && rule.anyArguments !== true && rule.written === undefined;
  if (isLook && options.some(({ known }) => !known)) return false;
  const given = (list: readonly string[]): boolean => options.some(({ name }) => isOption(name, list));
  if (wanted && !given(wanted)) return false;
  if (except && given(except)) return false;
  if (rule.sql && sqlClass(rule.sql, parsed) !== rule.sql.is) return false;
  if (!value) return true;
  return options.some((one) => isOption(one.name, value.of) && value.matches.test(one.value?.text ?? ''));
}

type Texts = NonNullable<BuiltInRule['sql']>;

/** The texts that are given; undefined for one that is not known, and where there is none. */
function sqlTexts({ of = [], from }: Texts, { options, operands }: ParsedArguments): readonly (string | undefined)[] {
  const behind = options.filter(({ name }) => isOption(name, of)).map(({ value }) => value);
  const given = from === undefined ? behind : [...behind, ...operands.slice(from)];
  return given.length === 0 ? [undefined] : given.map((one) => (one?.shape === 'literal' ? one.text : undefined));
}

/** An operand that is no text names another database, or who is connected; so may the text. */
function isOneDatabase(sql: Texts, parsed: ParsedArguments): boolean {
  const texts = sqlTexts(sql, parsed);
  return parsed.operands.length === 0 && texts.every((text) => text !== undefined && staysInDatabase(text));
}

function sqlClass(sql: Texts, parsed: ParsedArguments): CommandClass {
  const classes = sqlTexts(sql, parsed).map((text) => (text === undefined ? 'destructive' : classOfSql(text)));
  return classes.reduce((worst, one) => (isStricter(one, worst) ? one : worst));
}

function matchesOperands(rule: BuiltInRule, { operands }: ParsedArguments): boolean {
  const rest = operands.slice(rule.words?.length ?? 0);
  if (!isCount(rule, rest)) return false;
  if (rule.operand && !rest.some(({ text }) => rule.operand?.test(text))) return false;
  const end = rest.at(-1);
  if (rule.last && !(end?.shape === 'literal' && rule.last.includes(end.text))) return false;
  const [first] = rest;
  if (rule.first && !(first?.shape === 'literal' && rule.first.test(first.text))) return false;
  return !(rule.firstNot && first?.shape === 'literal' && rule.firstNot.test(first.text));
}

/** INVARIANT: 5 what may become many is more than a look allows, and as many as something stricter needs. */
function isCount({ class: is, most, least = 0 }: BuiltInRule, rest: readonly Argument[]): boolean {
  const isOpen = rest.some(isMany);
  const isFew = most === undefined || (rest.length <= most && (!isOpen || is === 'destructive'));
  return isFew && (isOpen || rest.length >= least);
}

/** What a rule that matches says, its targets included. */
export function applyRule(rule: BuiltInRule, spec: ProgramSpec, parsed: ParsedArguments, place: CommandPlace): Match {
  const isSure = parsed.options.every(({ known, name }) => known && !isOption(name, spec.elsewhere ?? []));
  // INVARIANT: 6 a window is for what is written, and a folder says nothing about where its links lead.
  const isOne = isSure && rule.target?.into !== true && (!rule.sql || isOneDatabase(rule.sql, parsed));
  const targets = (isOne && rule.target && targetsOf(rule.target, parsed, place)) || [];
  const doubts = [...doubtsOf(rule, parsed), ...doubtsOfFolders(spec, parsed, place)];
  const overwrites = !(rule.writes === 'target'
    ? isSure && writesInside(rule, parsed, place)
    : rule.writes === undefined || laysInside(rule.writes, parsed, place));
  const is = overwrites || doubts.some((doubt) => doubt.undecided) ? 'destructive' : rule.class;
  const reason = overwrites
    ? 'overwrites something outside the workspace'
    : rule.writes
      ? 'writes in the workspace'
      : REASONS[rule.class];
  const needs = [
    ...rule.needs,
    ...(isStricter(is, rule.class) ? ['destructive'] : []),
    ...(doubts.length > 0 ? [WHATEVER_IT_DOES] : []),
    ...(readsInside(rule, parsed, place) ? [] : ['read_files']),
  ];
  return {
    rule: rule.name,
    class: is,
    needs: [...new Set(needs)],
    targets,
    reason: [reason, ...doubts.map((doubt) => doubt.reason)].join(', and '),
  };
}

function writesInside({ target }: BuiltInRule, parsed: ParsedArguments, place: CommandPlace): boolean {
  if (!target) return true;
  return isInside(argumentsOf(target, parsed), place);
}

/**
 * INVARIANT: 1 what reads a file needs the capability for that, wherever the file is named: an option that nobody knows may name one too.
 */
function readsInside({ reads, sources = [] }: BuiltInRule, parsed: ParsedArguments, place: CommandPlace): boolean {
  if (reads === undefined) return true;
  const { operands, options } = parsed;
  const named =
    reads === true ? operands : operands.filter(({ text, shape }) => shape !== 'literal' || reads.test(text));
  const given = options.filter(({ name }) => isOption(name, sources)).flatMap(({ value }) => value ?? []);
  // `file:` is an address, and reads as a path does.
  const isFile = named.some(({ text }) => /^file:/i.test(text));
  const isSure = reads !== true || options.every(({ known }) => known);
  return isSure && !isFile && isInside([...named, ...given], place);
}

function isInside(paths: readonly Argument[], place: CommandPlace): boolean {
  return paths.every((path) => isInsideWorkspace(absolutePath(path, place), place));
}

/** Why a change may run something besides what it is for. */
interface Doubt {
  readonly reason: string;
  /** What runs is in the command, and cannot be decided. */
  readonly undecided?: true;
}

/**
 * INVARIANT: 1 an option that nobody described may name a program, or settings that do: only what is described, or written out whole,
 * runs nothing else.
 */
function doubtsOf(rule: BuiltInRule, parsed: ParsedArguments): readonly Doubt[] {
  const { options, written } = parsed;
  const doubts: Doubt[] = [];
  if (rule.class === 'read' || rule.needs.includes(WHATEVER_IT_DOES)) return doubts;
  if (rule.plain?.test(written) === false)
    doubts.push({ reason: 'written like this it may run something else', undecided: true });
  if (!isPlainOperands(rule, parsed)) doubts.push({ reason: 'an argument may name what else runs', undecided: true });
  if (rule.sql && !sqlTexts(rule.sql, parsed).every((text) => text !== undefined && runsNothing(text)))
    doubts.push({ reason: 'its text may run something else' });
  const unknown = options.find(({ known }) => !known);
  const isWhole = rule.plain !== undefined || rule.written !== undefined || rule.anyArguments === true;
  if (unknown && !isWhole)
    doubts.push({
      reason: `the option ${quote(unknown.name)}${unknown.odd ? ' with such a value' : ''} is not known and may run something else`,
    });
  return doubts;
}

/** INVARIANT: 1 settings of a folder name programs: only those of the workspace are obeyed without the shell. */
function doubtsOfFolders(
  { names, folders = [], commands }: ProgramSpec,
  { operands, options }: ParsedArguments,
  place: CommandPlace,
): readonly Doubt[] {
  const reason = 'the settings of another folder may name what else runs';
  const texts = operands.map(({ text }) => text);
  if (isElsewhere(place) && isLedByFolder(names, texts)) return [{ reason }];
  // Behind a command with a list of its own the same letter is another option.
  const given = options.filter(({ name, before }) => isOption(name, folders) && (before === 0 || !commands));
  const isWorkspace = given.every(
    ({ value }) => value !== undefined && place.host === 'self' && absolutePath(value, place) === place.workspace,
  );
  return given.length === 0 || (isWorkspace && given.length === 1 && place.workspace !== undefined) ? [] : [{ reason }];
}

/** Something moved to a folder, or may have. */
function isElsewhere({ cwd, near = [] }: CommandPlace): boolean {
  return cwd === undefined && new Set(near).size !== 1;
}

const REASONS: Readonly<Record<CommandClass, string>> = {
  read: 'reads, and changes nothing',
  'config-mutation': 'changes something that can be set back',
  destructive: 'takes away what nothing brings back',
};
