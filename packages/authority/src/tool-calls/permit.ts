import { posix } from 'node:path';
import { matchesPattern } from '@writ/core';
import { MOST_PATHS } from '@writ/policy';
import { commandIn, countOfPaths, pathsOf, urlsIn } from './claims.ts';
import type { ClassifyTool, ToolCall, ToolFacts, ToolRights, ToolVerdict } from './types.ts';

/** Rights to the whole workspace, the one to read in it first. */
const READS_REPO = ['read_repo', 'edit_repo'];
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' };
/** What no grant of a network reaches: this machine itself, and its link. */
const OWN_HOST = /^(localhost|.*\.localhost|127\..*|0\.0\.0\.0|169\.254\..*|\[::1?\]|\[::ffff:.*\]|\[fe[89ab].*\])$/i;

/**
 * Whether a task's agent may make a tool call, by what the task holds at this moment. The claim is the agent's: the answer
 * steers an honest agent, and its isolation holds a dishonest one.
 * INVARIANT: 1 nothing is allowed, and nothing asked about, that the grant does not hold: no yes stands in for a right.
 */
export function permitToolCall(held: ToolRights, call: ToolCall, { classify, leadsTo }: ToolFacts): ToolVerdict {
  const count = countOfPaths(call);
  if (count > MOST_PATHS) return deny(tooMany(count));
  const rights: Held = { ...held, leadsTo: once(leadsTo) };
  switch (call.kind) {
    case 'read':
    case 'search':
      return permitRead(rights, call);
    case 'edit':
    case 'delete':
    case 'move':
      return permitEdit(rights, call);
    case 'execute':
      return permitCommand(rights, call, classify);
    case 'fetch':
      return permitFetch(rights, call);
    case 'other':
      return ask('no right says what a call of this kind may do');
  }
}

/** Rights, and where paths lead. */
type Held = ToolRights & Pick<ToolFacts, 'leadsTo'>;

const ALLOW: ToolVerdict = { verdict: 'allow' };

function tooMany(count: number): string {
  return `it is about ${count} files, and at most ${MOST_PATHS} are looked at in one call: ask for fewer at once`;
}

/** The same, which finds each out a single time. */
function once(leadsTo: ToolFacts['leadsTo']): ToolFacts['leadsTo'] {
  const found = new Map<string, string | undefined>();
  return (path) => {
    if (!found.has(path)) found.set(path, leadsTo(path));
    return found.get(path);
  };
}

function deny(message: string): ToolVerdict {
  return { verdict: 'deny', code: 'COMMAND_NOT_ALLOWED', message };
}

function ask(message: string): ToolVerdict {
  return { verdict: 'ask', code: 'APPROVAL_REQUIRED', message };
}

function permitRead(rights: Held, call: ToolCall): ToolVerdict {
  if (!holds(rights, [...READS_REPO, 'read_files'])) return deny(lacking('read_repo or read_files'));
  const paths = pathsOf(call);
  if (paths === undefined) return ask('which files it would read cannot be told');
  // Without a path it is about where the agent works.
  if (paths.length === 0) {
    return holds(rights, READS_REPO) && rights.directory !== undefined ? ALLOW : ask('it names no file to read');
  }
  return paths.every((path) => isReadable(rights, path))
    ? ALLOW
    : deny('it would read a file outside what was granted');
}

function permitEdit(rights: Held, call: ToolCall): ToolVerdict {
  if (!holds(rights, ['edit_repo'])) return deny(lacking('edit_repo'));
  const paths = pathsOf(call);
  if (paths === undefined || paths.length === 0) return ask('which files it would change cannot be told');
  return paths.every((path) => isInWorkspace(rights, path))
    ? ALLOW
    : deny('it would change a file outside the workspace');
}

/** With the shell any command, in its isolation; without it what the profile lists, and what only reads what was granted. */
function permitCommand(rights: Held, { input }: ToolCall, classify: ClassifyTool): ToolVerdict {
  if (holds(rights, ['shell'])) return ALLOW;
  const command = commandIn(input);
  if (command === undefined) {
    const isPossible = rights.closure.some((right) => right !== 'use_network' && right !== 'use_secrets');
    return isPossible ? ask('which command it would run cannot be told') : deny(lacking('shell'));
  }
  const { argv } = command;
  const cwd = rights.directory === undefined && command.cwd === undefined ? '/' : placeOf(rights, command.cwd ?? '.');
  if (cwd === undefined) return deny('where it would run cannot be told');
  const isListed = rights.commands.some((pattern) => matchesPattern(pattern, argv));
  if (isListed && holds(rights, ['run_tests'])) {
    return isInWorkspace(rights, cwd) ? ALLOW : deny('it would run outside the workspace');
  }
  return permitClassified(rights, classify(argv, cwd), cwd);
}

function permitClassified(rights: Held, facts: ReturnType<ClassifyTool>, cwd: string): ToolVerdict {
  const { class: of, alone } = facts;
  if (alone !== undefined && alone.paths.length > MOST_PATHS) return deny(tooMany(alone.paths.length));
  const inWorkspace = alone !== undefined && [cwd, ...alone.paths].every((path) => isInWorkspace(rights, path));
  // `read_repo` is every command of class read inside the workspace, whatever its rule calls what it reads.
  const covered = of === 'read' && inWorkspace && holds(rights, READS_REPO) ? ['read_repo', 'read_files'] : [];
  const needed = of === 'destructive' ? [...facts.needs, 'destructive'] : facts.needs;
  const missing = [...new Set(needed)].filter((right) => !rights.closure.includes(right) && !covered.includes(right));
  // A command without a rule needs nothing by name; that is no leave to run it.
  if (missing.length > 0 || needed.length === 0) {
    const why = facts.undecided === undefined ? '' : `: ${facts.undecided}`;
    return deny(`${lacking([...new Set([...missing, 'shell'])].join(' and '))}${why}`);
  }
  if (of !== 'read' || alone === undefined || alone.repository) return ask(`it is a command of class ${of}`);
  return alone.paths.every((path) => isReadable(rights, path))
    ? ALLOW
    : deny('it would read a file outside what was granted');
}

function permitFetch(rights: Held, { input }: ToolCall): ToolVerdict {
  const { network } = rights;
  if (!holds(rights, ['use_network']) || network === 'deny') return deny(lacking('use_network'));
  const urls = urlsIn(input);
  if (urls === undefined || urls.length === 0) return ask('what it would fetch cannot be told');
  if (!urls.every(({ protocol }) => protocol in DEFAULT_PORTS))
    return deny('it would fetch something that is not of the network');
  if (urls.some(({ hostname }) => OWN_HOST.test(hostname)))
    return deny('it would reach this machine itself, or its link');
  if (network === 'allow') return ALLOW;
  const hosts = network.map((host) => host.toLowerCase());
  const isListed = ({ hostname, port, protocol }: URL): boolean =>
    hosts.includes(`${hostname}:${port || DEFAULT_PORTS[protocol]}`);
  return urls.every(isListed) ? ALLOW : deny('it would reach a host that was not granted');
}

function holds({ closure }: ToolRights, any: readonly string[]): boolean {
  return any.some((right) => closure.includes(right));
}

function isReadable(rights: Held, path: string): boolean {
  if (holds(rights, READS_REPO) && isInWorkspace(rights, path)) return true;
  return holds(rights, ['read_files']) && rights.readPaths.some((root) => isBelow(rights, root, path));
}

function isInWorkspace(rights: Held, path: string): boolean {
  return rights.directory !== undefined && isBelow(rights, rights.directory, path);
}

/** By where both lead: a folder of the workspace can be a link to another place. */
function isBelow(rights: Held, root: string, path: string): boolean {
  const [place, top] = [placeOf(rights, path), rights.leadsTo(root)];
  return place !== undefined && top !== undefined && isWithin(top, place);
}

/** Where a path leads at this moment; a link that is swapped later is for the isolation to hold. Undefined where it is none, or a home's. */
function placeOf({ directory, leadsTo }: Held, path: string): string | undefined {
  if (path.includes('\0') || path.startsWith('~') || SCHEME.test(path)) return undefined;
  if (path.startsWith('/')) return leadsTo(path);
  // Not resolved by its letters: a step up behind a link leads out of where the link leads.
  return directory === undefined ? undefined : leadsTo(`${directory}/${path}`);
}

function isWithin(root: string, path: string): boolean {
  const folder = posix.resolve(root);
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

function lacking(what: string): string {
  return `it needs ${what}, which the grant of this task does not hold`;
}
