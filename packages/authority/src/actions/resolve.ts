import { createHmac } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { formatSize, quote } from '@writ/core';
import type { Refusal } from '../record-types.ts';
import { digestAction } from './digest.ts';
import { namedPaths } from './named-paths.ts';
import { type FoundScripts, findPassedOn, findScripts } from './scripts.ts';
import { findInterpreter, findProgram, type Search } from './search.ts';
import type {
  ActionEnvironment,
  ActionFiles,
  ActionRequest,
  BoundFile,
  BoundVariable,
  HeldAction,
  HeldFile,
  Interpreter,
} from './types.ts';

/** Most that is bound by its content for one command, bytes: all of it is copied while it is looked at. */
const MOST_BYTES = 256 * 1024 * 1024;

export type Resolved =
  | { readonly resolved: true; readonly action: HeldAction }
  | { readonly resolved: false; readonly refusal: Refusal };

/**
 * Reads everything that decides what the command would do: programs and files that arguments name by content, the working
 * directory by identity, the environment whole. What was read is held until `release`, so that it is what runs. Done
 * when the command is proposed and again right before it starts.
 */
export async function resolveAction(
  request: ActionRequest,
  environment: ActionEnvironment,
  files: ActionFiles,
): Promise<Resolved> {
  const holding = createHolding(files);
  try {
    const outcome = await bindAll(request, environment, files, holding);
    if ('refusal' in outcome) {
      await holding.release();
      return { resolved: false, refusal: outcome.refusal };
    }
    const digest = digestAction(outcome.action);
    return { resolved: true, action: { ...outcome, digest, held: holding.paths, release: holding.release } };
  } catch (error) {
    await holding.release();
    throw error;
  }
}

/**
 * The digest that a held action would have under another environment: what is configured may have changed since it was
 * read. INVARIANT: 5 the environment is part of what was approved.
 */
export function digestUnder({ action }: Pick<HeldAction, 'action'>, environment: ActionEnvironment): string {
  return digestAction({ ...action, environment: bindEnvironment(environment) });
}

async function bindAll(
  request: ActionRequest,
  environment: ActionEnvironment,
  files: ActionFiles,
  holding: Holding,
): Promise<Omit<HeldAction, 'digest' | 'held' | 'release'> | { readonly refusal: Refusal }> {
  const program = request.argv[0];
  if (program === undefined || program === '') return refuse('there is no command', 'name a program');
  const place = isAbsolute(request.cwd) ? await files.inspect(request.cwd) : undefined;
  if (place?.kind !== 'directory') {
    return refuse(`${quote(request.cwd)} is no directory`, 'name the absolute path of one that is there');
  }
  const search: Search = { cwd: place.realPath, path: environment.values.PATH ?? '', files };
  const main = await findProgram(program, search);
  if (main === undefined) return refuse(`there is no program ${quote(program)}`, 'give its absolute path');
  const scripts = await findAllScripts(request, main, search);
  if ('refusal' in scripts) return scripts;
  const bound = await bindPrograms([main, ...scripts.programs], holding, search);
  if ('refusal' in bound) return bound;
  const argumentLists = [request.argv, ...request.inner];
  const named = await namedPaths(argumentLists, place.realPath, files);
  const bindings = await holding.bind([...new Set([...named.files, ...scripts.files])].sort());
  const tooLarge = holding.refused();
  if (tooLarge !== undefined) {
    return refuse(
      `${quote(tooLarge)} and what else it names exceed ${formatSize(MOST_BYTES)}, or it goes away`,
      'name files that can be read whole',
    );
  }
  const { realPath: path, device, inode, born } = place;
  const variables = bindEnvironment(environment);
  const { programs, interpreters } = bound;
  return {
    action: { request, programs, files: bindings, directory: { path, device, inode, born }, environment: variables },
    interpreters,
    folders: named.folders,
    copied: copiedScripts([main, ...interpreters.map((one) => one.path)], scripts.script?.path, holding),
    ...(scripts.script === undefined ? {} : { script: scripts.script }),
  };
}

/** What is started, where it is a script, and what it is given to run; programs inside run from their own places. */
function copiedScripts(started: readonly string[], given: string | undefined, holding: Holding): readonly string[] {
  const scripts = started.filter((path) => holding.interpreter(path) !== undefined);
  const run = given === undefined ? scripts : [...scripts, given];
  return [...new Set(run)].filter((path) => holding.leavesPlace(path));
}

/** Programs inside, and what interpreters run, outside and inside. */
interface AllScripts extends FoundScripts {
  readonly programs: readonly string[];
}

async function findAllScripts(
  { argv, inner }: ActionRequest,
  main: string,
  search: Search,
): Promise<AllScripts | { readonly refusal: Refusal }> {
  const own = await findScripts(argv, main, search);
  if ('refusal' in own) return own;
  const passed = await findPassedOn(argv, search);
  const programs = [...passed.programs];
  const files = [...own.files, ...passed.files];
  for (const inside of inner) {
    const further = await findPassedOn(inside, search);
    programs.push(...further.programs);
    files.push(...further.files);
    const program = await findProgram(inside[0] ?? '', search);
    const found = await findScripts(inside, program, search);
    if ('refusal' in found) return found;
    if (program !== undefined) programs.push(program);
    files.push(...found.files);
  }
  return { ...own, programs, files };
}

/** Longest row of scripts that run each other; the kernel follows one that is shorter. */
const MOST_INTERPRETERS = 8;

/** Programs, then what runs those that are scripts, row by row; `interpreters` are those of the first. */
async function bindPrograms(
  paths: readonly string[],
  holding: Holding,
  search: Search,
): Promise<
  | { readonly programs: readonly BoundFile[]; readonly interpreters: readonly Interpreter[] }
  | { readonly refusal: Refusal }
> {
  const bound = new Map((await holding.bind([...new Set(paths)])).map((file) => [file.path, file]));
  const rows: Interpreter[][] = [];
  for (const path of new Set(paths)) {
    const row: Interpreter[] = [];
    for (let of = path; row.length <= MOST_INTERPRETERS; ) {
      const outcome = await findInterpreter(holding.interpreter(of), search);
      if (!outcome.found) {
        return refuse(`what runs ${quote(of)} cannot be told by its first line`, 'let its first line name one program');
      }
      if (outcome.interpreter === undefined) break;
      row.push(outcome.interpreter);
      of = outcome.interpreter.path;
      for (const file of await holding.bind(bound.has(of) ? [] : [of])) bound.set(file.path, file);
    }
    if (row.length > MOST_INTERPRETERS) {
      return refuse(`${quote(path)} is run by too many scripts in a row`, 'let its first line name a program');
    }
    rows.push(row);
  }
  return { programs: [...bound.values()], interpreters: rows[0] ?? [] };
}

/** Files that are held so far, each once. */
interface Holding {
  readonly paths: ReadonlyMap<string, string>;
  bind(paths: readonly string[]): Promise<readonly BoundFile[]>;
  /** What the first line of a held file names. */
  interpreter(path: string): HeldFile['interpreter'];
  /** Whether what runs of a held file is a copy. */
  leavesPlace(path: string): boolean;
  /** A path that could not be held. */
  refused(): string | undefined;
  release(): Promise<void>;
}

function createHolding(files: ActionFiles): Holding {
  const held = new Map<string, HeldFile>();
  const paths = new Map<string, string>();
  let left = MOST_BYTES;
  let refused: string | undefined;
  return {
    paths,
    async bind(wanted) {
      const bound: BoundFile[] = [];
      for (const path of wanted) {
        if (refused !== undefined) break;
        const known = held.get(path);
        const file = known ?? (await files.hold(path, left));
        if (file === undefined) {
          refused = path;
          break;
        }
        if (known === undefined) left -= file.sizeBytes;
        held.set(path, file);
        paths.set(path, file.heldPath);
        bound.push({ path, sha256: file.sha256, sizeBytes: file.sizeBytes });
      }
      return bound;
    },
    interpreter: (path) => held.get(path)?.interpreter,
    leavesPlace: (path) => held.get(path)?.leavesPlace === true,
    refused: () => refused,
    async release() {
      const releasing = [...held.values()];
      held.clear();
      await Promise.all(releasing.map((file) => file.release()));
    },
  };
}

/** Every variable in order of name; of a secret only a fingerprint that nobody without this node's key can check. */
function bindEnvironment({ values, secretNames, sealKey }: ActionEnvironment): readonly BoundVariable[] {
  return Object.entries(values)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => {
      if (!secretNames.has(name)) return { name, value };
      return { name, sealed: createHmac('sha256', sealKey).update(`${name}\0${value}`).digest('hex') };
    });
}

function refuse(message: string, nextStep: string): { readonly refusal: Refusal } {
  return { refusal: { code: 'BAD_REQUEST', message, nextSteps: [nextStep] } };
}
