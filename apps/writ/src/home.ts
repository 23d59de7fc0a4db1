import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { quote, sha256Hex, WritError } from '@writ/core';
import type { Environment } from './env.ts';

/** Where everything of one node lies. */
export interface Home {
  /** What leads a process to it that has another environment. */
  readonly named: HomeNames;
  /** What names this home to a person: `WRIT_HOME`, or the data directory. */
  readonly root: string;
  readonly configDir: string;
  readonly configFile: string;
  readonly dataDir: string;
  readonly keysDir: string;
  readonly pinsDir: string;
  readonly databaseFile: string;
  /** What the process that writes to the database holds locked. */
  readonly lockFile: string;
  /** As `pidFile`, beside the lock: it stays where the run folder is cleaned away. */
  readonly holderFile: string;
  /** Keys of approvers under their passphrases, for whoever keeps them here. */
  readonly approversDir: string;
  /** Transcripts of what runs here. */
  readonly transcriptsDir: string;
  /** What gated commands wrote. */
  readonly outputsDir: string;
  /** Copies of the transcripts of what was asked of others. */
  readonly mirrorsDir: string;
  readonly workspacesDir: string;
  /** Content that results name, and git directories while they are worked with. */
  readonly evidenceDir: string;
  /** The audit log that derives from the rows of the database. */
  readonly auditDir: string;
  readonly logFile: string;
  readonly runDir: string;
  readonly socketFile: string;
  /** A folder with a socket for each task that may hand work on. */
  readonly tasksDir: string;
  /** Sockets by which sandboxed tasks reach the network. */
  readonly proxiesDir: string;
  /** Files of secrets that profiles name, put there by a person. */
  readonly secretsDir: string;
  /**
   * Where private copies lie of what gated commands are made of, while they run: the first of these that can be written to. Outside
   * of the home, which a script that looks for its project would find above itself.
   */
  readonly heldDirs: readonly string[];
  /** What the folder for such copies is called, wherever it lies: other homes have others. */
  readonly heldName: string;
  readonly tokenFile: string;
  /** JSON `{ pid, start }` of the running node. */
  readonly pidFile: string;
}

/** How a command line names a home. */
export interface HomeNames {
  /** What env(1) is told in front of the program. */
  readonly variables: readonly string[];
  /** Behind its words. */
  readonly options: readonly string[];
}

/** Longest path that a Unix socket address holds on Linux and macOS, bytes, with the ending NUL left out. */
const LONGEST_SOCKET_PATH = 103;

/**
 * The home that `--home`, `WRIT_HOME` or the XDG directories name. Nothing is created or read.
 * Throws BAD_REQUEST where there is no home directory to fall back to.
 */
export function resolveHome(environment: Environment, option?: string): Home {
  const single = option ?? environment.writHome;
  if (single === '') {
    throw new WritError('BAD_REQUEST', 'the home is an empty name', { nextSteps: ['name a folder: --home ~/writ'] });
  }
  if (single !== undefined) {
    const root = resolve(single);
    return layout({ root, configDir: root, dataDir: root }, environment, { variables: [], options: ['--home', root] });
  }
  if (
    environment.homeDir === undefined &&
    (environment.xdgConfigHome === undefined || environment.xdgDataHome === undefined)
  ) {
    throw new WritError('BAD_REQUEST', 'there is no home directory: HOME is not set to a whole path', {
      nextSteps: [
        'set HOME to the home directory of the user whose node it is',
        'or name a node in one folder: --home DIR',
      ],
    });
  }
  const userHome = environment.homeDir ?? '';
  const configDir = join(environment.xdgConfigHome ?? join(userHome, '.config'), 'writ');
  const dataDir = join(environment.xdgDataHome ?? join(userHome, '.local', 'share'), 'writ');
  // Also where they are the usual ones: a program in a sandbox of its own (flatpak, snap) has others.
  const variables = [
    ...['-u', 'WRIT_HOME'],
    ...[`XDG_CONFIG_HOME=${dirname(resolve(configDir))}`, `XDG_DATA_HOME=${dirname(resolve(dataDir))}`],
  ];
  return layout({ root: dataDir, configDir, dataDir }, environment, { variables, options: [] });
}

function layout(
  base: { root: string; configDir: string; dataDir: string },
  { homeDir }: Pick<Environment, 'homeDir'>,
  named: HomeNames,
): Home {
  // Not in `XDG_RUNTIME_DIR`: who is started by cron, by a service or by an editor has none, and would find no node.
  const runDir = join(base.dataDir, 'run');
  const socketFile = socketPath(runDir);
  const heldName = `writ-held-${sha256Hex(base.dataDir).slice(0, 24)}`;
  return {
    ...base,
    named,
    runDir,
    configFile: join(base.configDir, 'writ.toml'),
    keysDir: join(base.dataDir, 'keys'),
    pinsDir: join(base.dataDir, 'pins'),
    databaseFile: join(base.dataDir, 'db', 'writ.db'),
    lockFile: join(base.dataDir, 'db', 'writ.db.lock'),
    holderFile: join(base.dataDir, 'db', 'node.json'),
    approversDir: join(base.dataDir, 'approvers'),
    transcriptsDir: join(base.dataDir, 'transcripts'),
    outputsDir: join(base.dataDir, 'outputs'),
    mirrorsDir: join(base.dataDir, 'mirrors'),
    workspacesDir: join(base.dataDir, 'workspaces'),
    evidenceDir: join(base.dataDir, 'evidence'),
    auditDir: join(base.dataDir, 'audit'),
    logFile: join(base.dataDir, 'node.log'),
    socketFile,
    // As near to the root as the control socket, so that a task's socket fits wherever that one does.
    tasksDir: join(dirname(socketFile), 't'),
    proxiesDir: join(dirname(socketFile), 'n'),
    secretsDir: join(base.dataDir, 'secrets'),
    heldDirs: heldDirs(heldName, { homeDir, runDir }),
    heldName,
    tokenFile: join(runDir, 'host-token'),
    pidFile: join(runDir, 'node.json'),
  };
}

/**
 * Not in the folder for temporary files: what is above a script decides which modules it loads, and everybody may write there. The
 * run directory is the last resort of a user without a home.
 */
function heldDirs(
  name: string,
  { homeDir, runDir }: { readonly homeDir: string | undefined; readonly runDir: string },
): readonly string[] {
  return [...(homeDir === undefined ? [] : [join(homeDir, '.cache', name)]), join(runDir, 'held')];
}

/** Where nobody's environment leads elsewhere; whoever else makes a folder of that name first is refused. */
const SHORT_FOLDER = '/tmp';

/** The control socket's path; a home too deep for a socket address gets one in a short folder, named by its digest. */
function socketPath(runDir: string): string {
  const path = join(runDir, 'control.sock');
  if (Buffer.byteLength(path) <= LONGEST_SOCKET_PATH) return path;
  return join(SHORT_FOLDER, `writ-${sha256Hex(runDir).slice(0, 24)}`, 'control.sock');
}

/** Throws BAD_REQUEST where something else stands in the place of a home. */
export function assertFolder({ root }: Pick<Home, 'root'>): void {
  if (!existsSync(root) || statSync(root).isDirectory()) return;
  throw new WritError('BAD_REQUEST', `the home ${quote(root)} is no folder`, {
    nextSteps: ['name a folder: --home ~/writ'],
  });
}

/** Whether there is a node in a home. Throws where that cannot be told, for instance in the home of another user. */
export function hasNode({ configFile }: Pick<Home, 'configFile'>): boolean {
  return statSync(configFile, { throwIfNoEntry: false }) !== undefined;
}
