import type { Argument, KnownOptions, ProgramSpec } from './types.ts';

/** The arguments of a command as its program would read them. */
export interface ParsedArguments {
  readonly operands: readonly Argument[];
  /** Options in order, with their values; `before`: how many operands stood in front. */
  readonly options: readonly ParsedOption[];
  /** All of them as they are written, each behind a line break; `␊` is a break inside of one, `…` one that is a pattern. */
  readonly written: string;
}

interface ParsedOption {
  readonly name: string;
  readonly value?: Argument;
  readonly before: number;
  /** False where the description of the program does not have it, or not with such a value: it might have taken the next argument. */
  readonly known: boolean;
  /** It is described, and its value is another than those that it is described with. */
  readonly odd?: true;
}

const NO_SPEC: ProgramSpec = { names: [] };

/** Whether an argument may become several: what is counted behind it stands nobody knows where. */
export function isMany({ shape, isOne }: Argument): boolean {
  return shape !== 'literal' && isOne !== true;
}

/** Splits arguments (without the program) into options and operands. */
export function parseArguments(args: readonly Argument[], spec: ProgramSpec = NO_SPEC): ParsedArguments {
  const operands: Argument[] = [];
  const options: ParsedOption[] = [];
  for (let at = 0; at < args.length; at++) {
    const argument = args[at] as Argument;
    const { text } = argument;
    if (text === '--' && spec.expression) continue;
    const isEnd = spec.operandsEnd === true && operands.length > 0;
    if (isEnd || text === '--') {
      operands.push(...args.slice(isEnd ? at : at + 1));
      break;
    }
    const isBare = spec.bare === true && at === 0 && /^[A-Za-z]/.test(text);
    if (!isBare && (!text.startsWith('-') || text === '-')) {
      operands.push(argument);
      continue;
    }
    const known = optionsBehind(operands, spec);
    const read = readOptions(isBare ? `-${text}` : text, known);
    const last = read.at(-1);
    // Behind a letter that nobody knows the others may be its value, and then they take nothing.
    const takesNext =
      last?.value === undefined &&
      isValued(last?.name ?? '', known) &&
      read.every((one) => one.known) &&
      at + 1 < args.length;
    for (const one of read) {
      const value = one === last && takesNext ? args[at + 1] : one.value;
      options.push({ ...withValue(one, value, known), before: operands.length });
    }
    if (!takesNext) continue;
    at++;
    // Whether an option takes the next argument may hang on the command in front: what looks like an option counts as one too.
    for (const one of readValue(args[at] as Argument, known))
      options.push({ ...withValue(one, one.value, known), before: operands.length });
  }
  const written = args.map(({ text, shape }) => `\n${shape === 'literal' ? text.replaceAll('\n', '␊') : '…'}`).join('');
  return { operands, options, written };
}

type ReadOption = Omit<ParsedOption, 'before'>;

/** What is known of options at one place of a command. */
interface OptionsHere {
  /** The command's own first, then the program's. */
  readonly known: readonly KnownOptions[];
  readonly singleDash: boolean;
  readonly nextOnly: boolean;
}

function optionsBehind([first, second]: readonly Argument[], spec: ProgramSpec): OptionsHere {
  const own = [`${first?.text} ${second?.text}`, first?.text ?? ''].find((words) =>
    Object.hasOwn(spec.commands ?? {}, words),
  );
  const command = own === undefined ? undefined : spec.commands?.[own];
  const behind = first === undefined ? undefined : spec.behindCommand;
  return {
    known: [command, behind, spec].filter((one) => one !== undefined),
    singleDash: spec.singleDash === true,
    nextOnly: spec.nextOnly === true,
  };
}

function isValued(name: string, { known }: OptionsHere): boolean {
  return known.find((one) => isAmong(name, one))?.valued?.includes(name) === true;
}

function isKnown(name: string, { known }: OptionsHere): boolean {
  return known.some((one) => isAmong(name, one));
}

/** With a value that its description does not have, or of which only the first part is its own, an option is described by nobody. */
function withValue(one: ReadOption, value: Argument | undefined, { known }: OptionsHere): ReadOption {
  const form = known.find(({ values }) => values && Object.hasOwn(values, one.name))?.values?.[one.name];
  const read = { name: one.name, ...(value ? { value } : {}), known: one.known };
  const isPlain = !value || (!isMany(value) && (!form || (value.shape === 'literal' && form.test(value.text))));
  if (isPlain) return read;
  return { ...read, known: false, odd: true };
}

function isAmong(name: string, { valued, flags }: KnownOptions): boolean {
  return valued?.includes(name) === true || flags?.includes(name) === true;
}

function readLong(text: string, spec: OptionsHere): readonly ReadOption[] {
  const equals = text.indexOf('=');
  if (equals < 0) return [{ name: text, known: isKnown(text, spec) }];
  const name = text.slice(0, equals);
  return [{ name, value: { text: text.slice(equals + 1), shape: 'literal' }, known: isKnown(name, spec) }];
}

/** A value that would be an option if nothing took it; a number with a sign is none. */
function readValue({ text }: Argument, spec: OptionsHere): readonly ReadOption[] {
  if (!/^-[^\d]/.test(text) || text === '--') return [];
  return readOptions(text, spec);
}

function readOptions(text: string, spec: OptionsHere): readonly ReadOption[] {
  return text.startsWith('--') || spec.singleDash ? readLong(text, spec) : readCluster(text, spec);
}

/** Letters of one word, beyond which those outside of ASCII are not told apart. */
const MANY_LETTERS = 128;

/** `-rf` is `-r -f`; behind an option that takes a value stands the value. */
function readCluster(text: string, spec: OptionsHere): readonly ReadOption[] {
  const read = new Map<string, ReadOption>();
  for (let at = 1; at < text.length; at++) {
    const name = `-${text[at]}`;
    // A letter says no more the second time, and one that no program has no more than another.
    if (read.has(name) || (name > '-~' && read.size > MANY_LETTERS)) continue;
    if (isValued(name, spec) && at + 1 < text.length) {
      if (spec.nextOnly) return [...read.values(), { name, known: false }];
      const rest = text.slice(at + 1).replace(/^=/, '');
      read.set(name, { name, value: { text: rest, shape: 'literal' }, known: true });
      break;
    }
    read.set(name, { name, known: isKnown(name, spec) });
  }
  return [...read.values()];
}

/** True where `given` is one of `listed`, or an abbreviation that a program may take for it. */
export function isOption(given: string, listed: readonly string[]): boolean {
  return listed.some((one) => one === given || (given.length > 2 && given.startsWith('--') && one.startsWith(given)));
}

/** How a wrapper reads what stands in front of the command inside. */
export interface LeadingOptions {
  readonly flags: readonly string[];
  readonly valued: readonly string[];
  /** What the value of an option looks like, whole: anything else may be the command, where a version takes no value. */
  readonly values?: Readonly<Record<string, RegExp>>;
}

/**
 * Place of the first argument that is no option, options given by name to `see`; undefined where one is unknown, or is given what is not
 * known or has another form, since then nobody can say where the command begins.
 */
export function skipOptions(
  args: readonly Argument[],
  { flags, valued, values }: LeadingOptions,
  see: (name: string, value: string | undefined) => void = () => undefined,
): number | undefined {
  const spec: OptionsHere = {
    known: [{ flags, valued, ...(values && { values }) }],
    singleDash: false,
    nextOnly: false,
  };
  let at = 0;
  while (at < args.length) {
    const { text, shape } = args[at] as Argument;
    if (shape !== 'literal') return shape === 'path' ? at : undefined;
    if (text === '--') return at + 1;
    if (!text.startsWith('-') || text === '-') return at;
    const read = text.startsWith('--') ? readLong(text, spec) : readCluster(text, spec);
    if (read.some(({ known }) => !known)) return undefined;
    const last = read.at(-1);
    const takesNext = last !== undefined && last.value === undefined && valued.includes(last.name);
    if (takesNext && at + 1 < args.length && args[at + 1]?.shape !== 'literal') return undefined;
    for (const one of read) {
      const value = one === last && takesNext ? args[at + 1] : one.value;
      if (!withValue(one, value, spec).known) return undefined;
      see(one.name, value?.text);
    }
    at += takesNext ? 2 : 1;
  }
  return at;
}
