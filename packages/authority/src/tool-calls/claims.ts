import type { Json } from '@writ/core';
import type { ToolCall } from './types.ts';

/** Keys under which agents name files; every one that is there counts. */
const PATH_KEYS = [
  ...['path', 'paths', 'file', 'files', 'file_path', 'filePath', 'abs_path', 'absolute_path', 'notebook_path'],
  ...['old_path', 'new_path', 'source', 'destination', 'from', 'to', 'directory', 'dir', 'locations'],
];
const URL_KEYS = ['url', 'urls', 'uri'];
const FOLDER_KEYS = ['cwd', 'workdir', 'working_directory'];
/** Shells whose `-c` runs words as they stand, where nothing in them means anything to a shell. */
const SHELLS = /^(\/(usr\/)?bin\/)?(sh|bash|dash|zsh)$/;
/** A line that every shell takes for exactly these words. */
const PLAIN_LINE = /^[A-Za-z0-9_@%+:,./-]+( +[A-Za-z0-9_@%+:,./-]+)*$/;

/** Paths that a call names, in its input or beside it; undefined where one of them is no text, or not all are told. */
export function pathsOf({
  paths,
  input,
  untold,
}: Pick<ToolCall, 'paths' | 'input' | 'untold'>): readonly string[] | undefined {
  const named = textsUnder(input, PATH_KEYS);
  return untold === true || named === undefined || paths.includes('') ? undefined : [...paths, ...named];
}

/** How many files a call names, however it names them; what stands for one and is none counts too. */
export function countOfPaths({ paths, input }: Pick<ToolCall, 'paths' | 'input'>): number {
  const object = objectOf(input);
  const named = PATH_KEYS.flatMap((key) => listed(object[key])).map(pathIn);
  return new Set([...paths, ...named]).size;
}

/** Addresses that a raw input names; undefined where one of them is none. */
export function urlsIn(input: Json): readonly URL[] | undefined {
  const texts = textsUnder(input, URL_KEYS);
  if (texts === undefined || !texts.every((text) => URL.canParse(text))) return undefined;
  return texts.map((text) => new URL(text));
}

/** The command that a raw input is, with the folder that it names; undefined where it cannot be told for sure. */
export function commandIn(input: Json): { readonly argv: readonly string[]; readonly cwd?: string } | undefined {
  const { command, cmd, argv, args } = objectOf(input);
  const named = [command, cmd, argv].filter((value) => value !== undefined);
  const folders = textsUnder(input, FOLDER_KEYS);
  if (named.length !== 1 || folders === undefined || folders.length > 1) return undefined;
  const words = wordsOf(named[0] ?? null, args);
  const [cwd] = folders;
  return words === undefined ? undefined : { argv: words, ...(cwd === undefined ? {} : { cwd }) };
}

/** Words of a command, or of the line that a shell would run; a line with a meaning of its own stays one. */
function wordsOf(command: Json, args: Json | undefined): readonly string[] | undefined {
  if (isTexts(command)) return args === undefined && command.length > 0 ? unwrapped(command) : undefined;
  if (typeof command !== 'string' || command.trim() === '') return undefined;
  if (args !== undefined) return isTexts(args) ? unwrapped([command, ...args]) : undefined;
  return unwrapped(['sh', '-c', command]);
}

function unwrapped(argv: readonly string[]): readonly string[] {
  const [shell = '', flag = '', line = '', ...more] = argv;
  if (!SHELLS.test(shell) || !/^-l?c$/.test(flag) || more.length > 0 || !PLAIN_LINE.test(line)) return argv;
  return line.split(/ +/);
}

function textsUnder(input: Json, keys: readonly string[]): readonly string[] | undefined {
  const object = objectOf(input);
  const found: string[] = [];
  for (const key of keys) {
    for (const one of listed(object[key])) {
      const text = pathIn(one);
      if (typeof text !== 'string' || text === '') return undefined;
      found.push(text);
    }
  }
  return found;
}

/** What stands for a path, as it is or in an object. */
function pathIn(one: Json): Json | undefined {
  return typeof one === 'string' ? one : objectOf(one).path;
}

/** What stands under a key that may have one value or several. */
function listed(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function isTexts(value: Json): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function objectOf(value: Json | undefined): Readonly<Record<string, Json | undefined>> {
  return isObject(value) ? value : {};
}

function isObject(value: Json | undefined): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
