import { isOption, type ParsedArguments } from './options.ts';
import { absolutePath, isInsideWorkspace } from './paths.ts';
import { classOfSql } from './sql-text.ts';
import { argumentsOf, targetsOf } from './targets.ts';
import type { BuiltInRule, CommandClass, CommandPlace, ProgramSpec } from './types.ts';

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
  const isBlurred = rule.class !== 'destructive' && options.some((one) => !one.known && one.before < words.length);
  return (
    isWords &&
    !isBlurred &&
    matchesWritten(rule, parsed) &&
    matchesOptions(rule, parsed) &&
    matchesOperands(rule, parsed)
  );
}

function matchesWritten({ written: like, writtenNot: unlike }: BuiltInRule, { written }: ParsedArguments): boolean {
  return like?.test(written) !== false && unlike?.test(written) !== true;
}

function matchesOptions(rule: BuiltInRule, { options }: ParsedArguments): boolean {
  const { options: wanted, except, value } = rule;
  // INVARIANT: 5 an option that nobody knows may name a program, or a file to write: what has one is no look.
  const isLook = rule.class === 'read' && rule.anyArguments !== true && rule.written === undefined;
  if (isLook && options.some(({ known }) => !known)) return false;
  const given = (list: readonly string[]): boolean => options.some(({ name }) => isOption(name, list));
  if (wanted && !given(wanted)) return false;
  if (except && given(except)) return false;
  if (rule.sql && sqlClass(rule.sql.of, options) !== rule.sql.is) return false;
  if (!value) return true;
  return options.some((one) => isOption(one.name, value.of) && value.matches.test(one.value?.text ?? ''));
}

function sqlClass(of: readonly string[], options: ParsedArguments['options']): CommandClass {
  const texts = options.filter(({ name }) => isOption(name, of));
  if (texts.length === 0) return 'destructive';
  const classes = texts.map(({ value }) => (value?.shape === 'literal' ? classOfSql(value.text) : 'destructive'));
  return classes.reduce((worst, one) => (isStricter(one, worst) ? one : worst));
}

function matchesOperands(rule: BuiltInRule, { operands }: ParsedArguments): boolean {
  const rest = operands.slice(rule.words?.length ?? 0);
  if (rule.most !== undefined && rest.length > rule.most) return false;
  if (rule.operand && !rest.some(({ text }) => rule.operand?.test(text))) return false;
  const end = rest.at(-1);
  if (rule.last && !(end?.shape === 'literal' && rule.last.includes(end.text))) return false;
  const [first] = rest;
  if (rule.first && !(first?.shape === 'literal' && rule.first.test(first.text))) return false;
  return !(rule.firstNot && first?.shape === 'literal' && rule.firstNot.test(first.text));
}

/** What a rule that matches says, its targets included. */
export function applyRule(rule: BuiltInRule, spec: ProgramSpec, parsed: ParsedArguments, place: CommandPlace): Match {
  const isSure = parsed.options.every(({ known, name }) => known && !isOption(name, spec.elsewhere ?? []));
  // INVARIANT: 6 a window is for what is written, and a folder says nothing about where its links lead.
  const isOne = isSure && rule.target?.into !== true;
  const targets = (isOne && rule.target && targetsOf(rule.target, parsed, place)) || [];
  const about = { rule: rule.name, needs: rule.needs, targets };
  if (!rule.writes || !rule.target) return { ...about, class: rule.class, reason: reasonOf(rule.class) };
  const paths = argumentsOf(rule.target, parsed).map((argument) => absolutePath(argument, place));
  if (isSure && paths.every((path) => isInsideWorkspace(path, place))) {
    return { ...about, class: rule.class, reason: 'writes in the workspace' };
  }
  const needs = [...rule.needs, 'destructive'];
  return { ...about, needs, class: 'destructive', reason: 'overwrites something outside the workspace' };
}

const REASONS: Readonly<Record<CommandClass, string>> = {
  read: 'reads, and changes nothing',
  'config-mutation': 'changes something that can be set back',
  destructive: 'takes away what nothing brings back',
};

function reasonOf(of: CommandClass): string {
  return REASONS[of];
}
