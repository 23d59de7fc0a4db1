import { basename, isAbsolute } from 'node:path';
import { quote } from '@writ/core';
import { FOLDER_PROGRAMS, type Language, languageOf } from './languages.ts';

/** A file that runs besides, as it is named. */
export interface Code {
  readonly text: string;
  /** It is looked for as a module is, and not only under its name. */
  readonly isModule: boolean;
}

/** What an argument list makes an interpreter run. */
export type ScriptOperand =
  /** No interpreter, or what runs is among the arguments and in the standard input. */
  | { readonly kind: 'none' }
  /** The argument at this place, read as `language` reads it. */
  | { readonly kind: 'file'; readonly at: number; readonly language: Language; readonly code: readonly Code[] }
  /** Nobody can say which file runs. */
  | { readonly kind: 'unclear'; readonly message: string; readonly nextStep: string };

/**
 * Which argument an interpreter runs as a program. An option that is not listed could take the next argument for itself,
 * so that nobody could say: that is `unclear`. `code` are the values of options that name further programs.
 */
export function scriptOperand(argv: readonly string[], programName: string = argv[0] ?? ''): ScriptOperand {
  const name = basename(programName);
  if (name === 'env') return hidesCommand(argv) ? SPLIT : { kind: 'none' };
  const language = languageOf(name);
  return language === undefined ? { kind: 'none' } : operandOf(language, argv, name);
}

/** Whether it depends on the working directory which file runs. */
export function runsRelative(argv: readonly string[]): boolean {
  const [program = ''] = argv;
  if (program.includes('/') && !isAbsolute(program)) return true;
  // What is redirected from a file may be a script, whoever reads it.
  if (program === '<') return !isAbsolute(argv[1] ?? '');
  if (FOLDER_PROGRAMS.has(basename(program))) return true;
  const operand = scriptOperand(argv);
  if (operand.kind !== 'file') return false;
  const script = operand.at < 0 ? [] : [argv[operand.at] ?? ''];
  return [...script, ...operand.code.map(({ text }) => text)].some((file) => !isAbsolute(file));
}

interface Reading {
  readonly code: Code[];
  isTextual: boolean;
  /** An option of which nothing is known. */
  unknown?: string;
}

function operandOf(language: Language, argv: readonly string[], name: string): ScriptOperand {
  const reading: Reading = { code: [], isTextual: false };
  let at = 1;
  for (; at < argv.length; at++) {
    const argument = argv[at] ?? '';
    if (argument === '--' || (argument === '-' && language.endsAtDash)) {
      at += 1;
      break;
    }
    if (!/^[-+]./.test(argument)) break;
    at += argument.startsWith('--') ? readLong(language, argv, at, reading) : readShort(language, argv, at, reading);
    if (reading.isTextual && language.endsAtText) break;
    if (reading.unknown !== undefined) {
      const message = `which file ${quote(name)} runs cannot be told behind its option ${quote(reading.unknown)}`;
      return { kind: 'unclear', message, nextStep: 'leave the option out, and name the file that runs' };
    }
  }
  const { code, isTextual } = reading;
  const operand = argv[at];
  // Behind the `-` that ended the options, another one is the name of a file.
  const isInput = operand === '-' && !language.endsAtDash;
  if (operand !== undefined && !isInput && !isTextual) return { kind: 'file', at, language, code };
  return code.length === 0 ? { kind: 'none' } : { kind: 'file', at: -1, language, code };
}

/** How many further arguments the option takes. */
function readLong({ long }: Language, argv: readonly string[], at: number, reading: Reading): number {
  const argument = argv[at] ?? '';
  const equals = argument.indexOf('=');
  const name = equals < 0 ? argument : argument.slice(0, equals);
  const is = Object.hasOwn(long, name) ? long[name] : undefined;
  const value = equals < 0 ? (argv[at + 1] ?? '') : argument.slice(equals + 1);
  if (is === undefined && !/^--[^=]+=\d+$/.test(argument)) reading.unknown = name;
  if (is === 'inline') reading.isTextual = true;
  if (is === 'code' || is === 'file') reading.code.push({ text: value, isModule: is === 'code' });
  return equals < 0 && is !== 'flag' ? 1 : 0;
}

/** `-abc`: each letter is an option, until one takes the rest. */
function readShort(language: Language, argv: readonly string[], at: number, reading: Reading): number {
  const argument = argv[at] ?? '';
  for (let place = 1; place < argument.length; place++) {
    const letter = argument[place] ?? '';
    const rest = argument.slice(place + 1);
    if (language.textual.includes(letter)) reading.isTextual = true;
    else if (language.flags.includes(letter)) continue;
    else if (language.attached.includes(letter)) return 0;
    else if (language.modules?.letters.includes(letter) && language.modules.own.test(rest)) return 0;
    else if (language.inline.includes(letter)) {
      reading.isTextual = true;
      // `-pe TEXT`: the text belongs to the last letter.
      if ([...rest].some((one) => !language.inline.includes(one))) return 0;
      if (rest === '') return 1;
    } else if (language.code.includes(letter)) {
      reading.code.push({ text: rest === '' ? (argv[at + 1] ?? '') : rest, isModule: true });
      return rest === '' ? 1 : 0;
    } else if (language.valued.includes(letter)) return rest === '' ? 1 : 0;
    else reading.unknown ??= `-${letter}`;
  }
  return 0;
}

const SPLIT: ScriptOperand = {
  kind: 'unclear',
  message: 'a command in one text behind `env -S` cannot be told',
  nextStep: 'write its words as arguments of their own',
};

/** `env -S TEXT`: what env would make of it is not looked at. */
function hidesCommand([, ...args]: readonly string[]): boolean {
  for (let at = 0; at < args.length; at++) {
    const argument = args[at] ?? '';
    if (!argument.startsWith('-')) return false;
    if (/^-[a-zA-Z0]*S/.test(argument) || /^--s/.test(argument)) return true;
    if (/^(-[a-zA-Z0]*[uC]|--(unset|chdir))$/.test(argument)) at += 1;
  }
  return false;
}
