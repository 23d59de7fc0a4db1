import { basename } from 'node:path';
import { quote } from '@writ/core';
import type { Refusal } from '../record-types.ts';
import { FOLDER_PROGRAMS, type Language, languageOf } from './languages.ts';
import { type Code, scriptOperand } from './script-operand.ts';
import { findProgram, pathOf, type Search } from './search.ts';

/** Files that an argument list makes its program run, besides those that it names as they are. */
export interface FoundScripts {
  /** Absolute, to be bound by content. */
  readonly files: readonly string[];
  /** The argument that is run as a program: what is held of `path` takes its place. */
  readonly script?: { readonly at: number; readonly path: string };
}

/**
 * What an interpreter runs, found as the interpreter finds it; what it finds in a way of its own is refused, with what to name instead.
 * INVARIANT: 5 what a person says yes to is content, and not a name under which something else can lie later.
 */
export async function findScripts(
  argv: readonly string[],
  program: string | undefined,
  search: Search,
): Promise<FoundScripts | { readonly refusal: Refusal }> {
  const real = program === undefined ? undefined : (await search.files.inspect(program))?.realPath;
  const byName = scriptOperand(argv);
  // `sh` may be a link to a shell, and anything may be a link to one.
  const operand = byName.kind !== 'none' || real === undefined ? byName : scriptOperand(argv, real);
  if (operand.kind === 'none') return { files: await ofFolder(argv, search) };
  if (operand.kind === 'unclear') return refuse(operand.message, operand.nextStep);
  const name = basename(argv[0] ?? '');
  for (const { text, isModule } of operand.code) {
    const isNamed = !isModule || operand.language.moduleFile?.test(text) === true;
    if (isNamed && (await isFile(pathOf(search.cwd, text), search))) continue;
    return refuse(
      `${quote(text)} is no file by that name alone, and ${quote(name)} would look for it`,
      'name the file itself, with its folder (./) and its ending',
    );
  }
  const code = operand.code.map(({ text }: Code) => pathOf(search.cwd, text));
  if (operand.at < 0) return { files: code };
  const text = argv[operand.at] ?? '';
  const path = await findScript(text, operand.language, search);
  if (path !== undefined) return { files: [...code, path], script: { at: operand.at, path } };
  return refuse(
    `${quote(text)} is no file, and what ${quote(name)} would run instead cannot be told`,
    'name the file that runs, with its ending and its folder',
  );
}

/** The file that an interpreter reads under a name; undefined where nobody can say. */
async function findScript(text: string, language: Language, search: Search): Promise<string | undefined> {
  if (language.searches === 'first' && !text.includes('/')) return undefined;
  const path = pathOf(search.cwd, text);
  const fact = await search.files.inspect(path);
  if (fact?.kind === 'file') return path;
  for (const ending of text.endsWith('/') ? [] : language.endings) {
    if (await isFile(`${path}${ending}`, search)) return `${path}${ending}`;
  }
  if (fact?.kind === 'directory') return await findInFolder(path, language, search);
  if (fact !== undefined || !language.searches || text.includes('/')) return undefined;
  return await findProgram(text, search);
}

async function findInFolder(folder: string, language: Language, search: Search): Promise<string | undefined> {
  for (const name of language.notBeside) {
    if ((await search.files.inspect(`${folder}/${name}`)) !== undefined) return undefined;
  }
  return await firstFile(folder, language.ofFolder, search);
}

/** What `make` and its like read where no argument says so, in their folder and in those that an option names. */
async function ofFolder([name = '', ...args]: readonly string[], search: Search): Promise<readonly string[]> {
  const program = FOLDER_PROGRAMS.get(basename(name));
  if (program === undefined) return [];
  const found: string[] = [];
  for (const folder of foldersOf(args, program.folder, search.cwd)) {
    const path = await firstFile(folder, program.files, search);
    if (path !== undefined) found.push(path);
  }
  return found;
}

/** The folder of the program, and each that it would go to, one from the other. */
function foldersOf(args: readonly string[], options: readonly string[], cwd: string): readonly string[] {
  const folders = [cwd];
  args.forEach((argument, at) => {
    const option = options.find((one) => argument === one || argument.startsWith(one.length === 2 ? one : `${one}=`));
    if (option === undefined) return;
    const value = argument === option ? (args[at + 1] ?? '') : argument.slice(option.length).replace(/^=/, '');
    folders.push(pathOf(folders.at(-1) ?? cwd, value));
  });
  return folders;
}

/**
 * Interpreters among the arguments of a program that may hand them on, with what they would run: it is bound too, as far as it is
 * there. Nothing is refused for it: such a program is shown as one whose files are not all bound.
 */
export async function findPassedOn(
  argv: readonly string[],
  search: Search,
): Promise<{ readonly programs: readonly string[]; readonly files: readonly string[] }> {
  const programs: string[] = [];
  const files: string[] = [];
  for (let at = 1; at < argv.length; at++) {
    const text = argv[at] ?? '';
    const name = basename(text);
    if (languageOf(name) === undefined && !FOLDER_PROGRAMS.has(name)) continue;
    const program = await findProgram(text, search);
    if (program === undefined) continue;
    programs.push(program);
    const found = await findScripts(argv.slice(at), program, search);
    if (!('refusal' in found)) files.push(...found.files);
  }
  return { programs, files };
}

async function firstFile(folder: string, names: readonly string[], search: Search): Promise<string | undefined> {
  for (const name of names) {
    if (await isFile(`${folder}/${name}`, search)) return `${folder}/${name}`;
  }
  return undefined;
}

async function isFile(path: string, { files }: Search): Promise<boolean> {
  return (await files.inspect(path))?.kind === 'file';
}

function refuse(message: string, nextStep: string): { readonly refusal: Refusal } {
  return { refusal: { code: 'BAD_REQUEST', message, nextSteps: [nextStep] } };
}
