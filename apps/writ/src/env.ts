import { isAbsolute } from 'node:path';

/** What Writ reads of the process's environment, in one place. */
export interface Environment {
  /** Everything, for the allowlist of a task's environment. */
  readonly all: Readonly<Record<string, string | undefined>>;
  /** `WRIT_HOME`: a whole node in one folder. */
  readonly writHome: string | undefined;
  /** These four are absolute; a variable that is not is as one that is not set. */
  readonly xdgConfigHome: string | undefined;
  readonly xdgDataHome: string | undefined;
  readonly xdgRuntimeDir: string | undefined;
  readonly homeDir: string | undefined;
  /**
   * Set in the environment of a task: `WRIT_TASK_SOCKET`, the only socket that this process may use, and
   * `WRIT_TASK_TOKEN`, the only token. Either of them, even empty, means that this process belongs to a task.
   */
  readonly taskAccess: { readonly socket: string | undefined; readonly token: string | undefined } | undefined;
  /** `WRIT_SESSION`: credential of the session that calls belong to. */
  readonly session: string | undefined;
  /** Name of the time zone that this process's clock on the wall is in, such as `Europe/Berlin`. */
  readonly timeZone: () => string;
  /** `NO_COLOR` is set to something, or the terminal has none. */
  readonly noColor: boolean;
  /** `TERM` is `dumb`: the terminal moves no cursor. */
  readonly isDumbTerminal: boolean;
  /** `WRIT_LOG`: level of the node's log file; `info` by default. */
  readonly logLevel: string;
}

/** Reads the environment of this process. The only place that touches it. */
export function readEnvironment(): Environment {
  const all = process.env;
  return {
    all,
    writHome: nonEmpty(all.WRIT_HOME),
    xdgConfigHome: absolute(all.XDG_CONFIG_HOME),
    xdgDataHome: absolute(all.XDG_DATA_HOME),
    xdgRuntimeDir: absolute(all.XDG_RUNTIME_DIR),
    homeDir: absolute(all.HOME),
    taskAccess:
      all.WRIT_TASK_SOCKET === undefined && all.WRIT_TASK_TOKEN === undefined
        ? undefined
        : { socket: nonEmpty(all.WRIT_TASK_SOCKET), token: nonEmpty(all.WRIT_TASK_TOKEN) },
    // Read from a file, it has a line end that is none of its own.
    session: nonEmpty(all.WRIT_SESSION?.trim()),
    timeZone: () => new Intl.DateTimeFormat().resolvedOptions().timeZone,
    noColor: nonEmpty(all.NO_COLOR) !== undefined || all.TERM === 'dumb',
    isDumbTerminal: all.TERM === 'dumb',
    logLevel: nonEmpty(all.WRIT_LOG) ?? 'info',
  };
}

/** A folder that is another one wherever it is asked for is none: the specification of the XDG directories passes over it, too. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value;
}
