import { MARKER } from './process-tree/members.ts';

/** Where programs are looked for when the node itself has no PATH. */
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';
/** Locale variables that every run gets, next to PATH. */
const LOCALE = /^(LANG|LC_[A-Z]+)$/;

/** The environment of a run is built from this. */
export interface EnvironmentSpec {
  readonly node: Readonly<Record<string, string | undefined>>;
  /** Names that the profile lets pass. */
  readonly allowed: readonly string[];
  readonly home: string;
  readonly tmp: string;
  readonly task: string;
  readonly nonce: string;
}

/**
 * Exactly what a run sees: locale, PATH, the names that the profile lists, its own HOME and TMPDIR, its task's id and
 * the marker of its attempt. Nothing else of the node's environment passes, and a profile cannot replace the last four.
 */
export function buildEnvironment(spec: EnvironmentSpec): Record<string, string> {
  const env: Record<string, string> = {};
  const names = Object.keys(spec.node).filter((name) => LOCALE.test(name));
  for (const name of [...names, ...spec.allowed]) {
    const value = spec.node[name];
    if (value !== undefined) env[name] = value;
  }
  return {
    ...env,
    PATH: searchPath(spec.node.PATH),
    HOME: spec.home,
    TMPDIR: spec.tmp,
    WRIT_TASK: spec.task,
    [MARKER]: spec.nonce,
  };
}

/** PATH without empty and relative entries: those would find programs in the workspace. */
export function searchPath(path: string | undefined): string {
  const entries = (path ?? '').split(':').filter((entry) => entry.startsWith('/'));
  return entries.length > 0 ? entries.join(':') : DEFAULT_PATH;
}
