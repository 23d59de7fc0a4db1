import { createHmac } from 'node:crypto';
import { basename, delimiter, isAbsolute, resolve } from 'node:path';
import { formatSize, quote } from '@writ/core';
import type { Refusal } from '../record-types.ts';
import { digestAction } from './digest.ts';
import { namedPaths } from './named-paths.ts';
import type {
  ActionEnvironment,
  ActionFiles,
  ActionRequest,
  BoundFile,
  BoundVariable,
  HeldAction,
  HeldFile,
} from './types.ts';

/** Largest file that is bound by its content, bytes. */
const LARGEST_FILE_BYTES = 256 * 1024 * 1024;

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
): Promise<Pick<HeldAction, 'action' | 'interpreter'> | { readonly refusal: Refusal }> {
  const program = request.argv[0];
  if (program === undefined || program === '') return refuse('there is no command', 'name a program');
  const place = isAbsolute(request.cwd) ? await files.inspect(request.cwd) : undefined;
  if (place?.kind !== 'directory') {
    return refuse(`${quote(request.cwd)} is no directory`, 'name the absolute path of one that is there');
  }
  const search: Search = { cwd: place.realPath, path: environment.values.PATH ?? '', files };
  const main = await findProgram(program, search);
  if (main === undefined) return refuse(`there is no program ${quote(program)}`, 'give its absolute path');
  const inside = await Promise.all(request.inner.map(([name = '']) => findProgram(name, search)));
  const programPaths = [...new Set([main, ...inside.filter((path) => path !== undefined)])];
  const argumentLists = [request.argv, ...request.inner];
  const scripts = await holding.bind(programPaths);
  const interpreters = await Promise.all(
    programPaths.map((path) => findInterpreter(holding.interpreter(path), search)),
  );
  const interpreterPaths = interpreters.flatMap((found) => found?.path ?? []);
  const further = new Set(interpreterPaths.filter((path) => !programPaths.includes(path)));
  const programs = [...scripts, ...(await holding.bind([...further]))];
  const named = await holding.bind(await namedPaths(argumentLists, place.realPath, files));
  const tooLarge = holding.refused();
  if (tooLarge !== undefined) {
    const most = formatSize(LARGEST_FILE_BYTES);
    return refuse(`${quote(tooLarge)} is larger than ${most}, or goes away`, 'name files that can be read whole');
  }
  const { realPath: path, device, inode } = place;
  const variables = bindEnvironment(environment);
  const [interpreter] = interpreters;
  return {
    action: { request, programs, files: named, directory: { path, device, inode }, environment: variables },
    ...(interpreter === undefined ? {} : { interpreter }),
  };
}

/**
 * What runs a script, as its first line names it. `env` with a name alone is taken off: what it would find is what is held.
 * One that is not there is left to the kernel to refuse.
 */
async function findInterpreter(
  named: HeldFile['interpreter'],
  search: Search,
): Promise<HeldAction['interpreter'] | undefined> {
  if (named === undefined) return undefined;
  const { path, argument = '' } = named;
  const isName = /^[A-Za-z0-9._+-]+$/.test(argument) && !argument.startsWith('-');
  if (basename(path) !== 'env' || !isName) return named;
  const found = await findProgram(argument, search);
  return found === undefined ? undefined : { path: found };
}

/** Files that are held so far, each once. */
interface Holding {
  readonly paths: ReadonlyMap<string, string>;
  bind(paths: readonly string[]): Promise<readonly BoundFile[]>;
  /** What the first line of a held file names. */
  interpreter(path: string): HeldFile['interpreter'];
  /** A path that could not be held. */
  refused(): string | undefined;
  release(): Promise<void>;
}

function createHolding(files: ActionFiles): Holding {
  const held = new Map<string, HeldFile>();
  const paths = new Map<string, string>();
  let refused: string | undefined;
  return {
    paths,
    async bind(wanted) {
      const bound: BoundFile[] = [];
      for (const path of wanted) {
        const file = held.get(path) ?? (await files.hold(path, LARGEST_FILE_BYTES));
        if (file === undefined) {
          refused ??= path;
          continue;
        }
        held.set(path, file);
        paths.set(path, file.heldPath);
        bound.push({ path, sha256: file.sha256, sizeBytes: file.sizeBytes });
      }
      return bound;
    },
    interpreter: (path) => held.get(path)?.interpreter,
    refused: () => refused,
    async release() {
      const releasing = [...held.values()];
      held.clear();
      await Promise.all(releasing.map((file) => file.release()));
    },
  };
}

/** Where programs are looked for. */
interface Search {
  readonly cwd: string;
  readonly path: string;
  readonly files: ActionFiles;
}

/** As `execvp` finds it: a name with a slash is a path, any other is looked for in PATH. */
async function findProgram(name: string, { cwd, path, files }: Search): Promise<string | undefined> {
  if (name === '') return undefined;
  const places = name.includes('/')
    ? [resolve(cwd, name)]
    : path.split(delimiter).map((dir) => resolve(cwd, dir, name));
  for (const candidate of places) {
    const fact = await files.inspect(candidate);
    if (fact?.kind === 'file' && fact.isExecutable) return candidate;
  }
  return undefined;
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
