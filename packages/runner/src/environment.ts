import { MARKER } from './process-tree/members.ts';
import type { TaskAccess } from './types.ts';

/** Where programs are looked for when the node itself has no PATH. */
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';
/** Locale variables that every run gets, next to PATH. */
const LOCALE = /^(LANG|LC_[A-Z]+)$/;

/** What a run finds its way back to its own node by. */
const ACCESS = /^WRIT_TASK_(SOCKET|TOKEN)$/;

/** The environment of a run is built from this. */
export interface EnvironmentSpec {
  readonly node: Readonly<Record<string, string | undefined>>;
  /** Names that the profile lets pass. */
  readonly allowed: readonly string[];
  readonly home: string;
  readonly tmp: string;
  /** Folder of the files of its secrets; absent: it has none. */
  readonly secrets?: string;
  /** Absent: there is no writable space beside the workspace. */
  readonly scratch?: string;
  readonly task: string;
  readonly nonce: string;
  readonly access?: TaskAccess;
}

/**
 * Exactly what a run sees: locale, PATH, the names that the profile lists, its own HOME and TMPDIR, its task's id and
 * the marker of its attempt; `WRIT_SCRATCH` where it has space beside its workspace, `WRIT_SECRETS` where it has secrets; `WRIT_TASK_SOCKET` and `WRIT_TASK_TOKEN` where it may talk back to its node. Nothing else of
 * the node's environment passes, and a profile can replace none of these.
 */
export function buildEnvironment(spec: EnvironmentSpec): Record<string, string> {
  const env: Record<string, string> = {};
  const names = Object.keys(spec.node).filter((name) => LOCALE.test(name));
  for (const name of [...names, ...spec.allowed]) {
    const value = spec.node[name];
    // INVARIANT: 7 a node that runs inside a task of another gives none of that task's authority to its own.
    if (value !== undefined && !ACCESS.test(name)) env[name] = value;
  }
  return {
    ...env,
    PATH: searchPath(spec.node.PATH),
    HOME: spec.home,
    TMPDIR: spec.tmp,
    ...(spec.secrets === undefined ? {} : { WRIT_SECRETS: spec.secrets }),
    ...(spec.scratch === undefined ? {} : { WRIT_SCRATCH: spec.scratch }),
    WRIT_TASK: spec.task,
    [MARKER]: spec.nonce,
    ...(spec.access ? { WRIT_TASK_SOCKET: spec.access.socket, WRIT_TASK_TOKEN: spec.access.token } : {}),
  };
}

/**
 * Exactly what a gated command sees, besides the mark of its processes: locale, PATH, the names that its profile lists and the
 * HOME of the node's own user, on whose machine it runs. The same for every command of the profile, so that what was
 * approved is what runs.
 */
export function buildCommandEnvironment(
  node: EnvironmentSpec['node'],
  allowed: readonly string[],
): Record<string, string> {
  const env: Record<string, string> = {};
  const names = Object.keys(node).filter((name) => LOCALE.test(name));
  for (const name of [...names, ...allowed, 'HOME']) {
    const value = node[name];
    // INVARIANT: 7 a node that runs inside a task of another gives none of that task's authority to its own.
    if (value !== undefined && !ACCESS.test(name) && name !== MARKER) env[name] = value;
  }
  return { ...env, PATH: searchPath(node.PATH) };
}

/** PATH without empty and relative entries: those would find programs in the workspace. */
export function searchPath(path: string | undefined): string {
  const entries = (path ?? '').split(':').filter((entry) => entry.startsWith('/'));
  return entries.length > 0 ? entries.join(':') : DEFAULT_PATH;
}
