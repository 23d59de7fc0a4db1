import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ControlClient, createControlClient } from '@writ/gateway/client';
import { isAlive, withDescendants } from './process-table.ts';
import {
  type ProgramPlace,
  type ProgramResult,
  type RunningProgram,
  runProgram,
  startAtTerminal,
  startProgram,
} from './program.ts';
import { until } from './waiting.ts';

/** One node of a test mesh: a home and a process of its own, driven as a person drives it. */
export interface MeshNode {
  readonly name: string;
  /** Its whole home, one folder. */
  readonly home: string;
  readonly configFile: string;
  /** `host:port` of its mesh listener. */
  readonly listen: string;
  /** Runs `writ --home HOME ...argv` to its end. */
  writ(...argv: string[]): Promise<ProgramResult>;
  /** The same, and does not wait. */
  start(...argv: string[]): RunningProgram;
  /** The same at a terminal of its own; needs python3. */
  atTerminal(...argv: string[]): RunningProgram;
  /** The control socket with the host token of this start. */
  client(): ControlClient;
  /** The same, in the session of this credential. */
  clientIn(session: string): ControlClient;
  /** Its identity; it has to run. */
  id(): Promise<string>;
  /** Pid of the running node; undefined where none says that it runs. */
  pid(): number | undefined;
  /** `writ up`. Throws where it fails. */
  up(): Promise<void>;
  /** `writ down`. Throws where it fails. */
  down(): Promise<void>;
  /** `kill -9` of the node's process alone; resolves when it is gone. */
  kill(): Promise<void>;
  config(): string;
  /** Puts another configuration in its place by an atomic rename. */
  replaceConfig(text: string): void;
  /** Puts another configuration in force and waits for that; also what gives somebody more. Returns the generation. */
  configure(text: string): Promise<number>;
}

/** Paths inside a home that a test looks at. */
export const controlSocketOf = (home: string): string => join(home, 'run', 'control.sock');
/** The host token of the running node in a home. */
export const hostTokenOf = (home: string): string => readFileSync(join(home, 'run', 'host-token'), 'utf8').trim();
const pidFileOf = (home: string): string => join(home, 'run', 'node.json');

/** A node in `home`; nothing is made or started. */
export function createMeshNode(name: string, home: string, listen: string, place: ProgramPlace): MeshNode {
  const configFile = join(home, 'writ.toml');
  const writ = (...argv: string[]): Promise<ProgramResult> => runProgram(['--home', home, ...argv], place);
  const mustWrit = async (...argv: string[]): Promise<void> => {
    const { code, stdout, stderr } = await writ(...argv);
    if (code !== 0) throw new Error(`${name}: writ ${argv.join(' ')} ended with ${code}: ${stdout}${stderr}`);
  };
  const client = (): ControlClient =>
    createControlClient({ socketPath: controlSocketOf(home), token: hostTokenOf(home) });
  const pid = (): number | undefined => {
    try {
      return (JSON.parse(readFileSync(pidFileOf(home), 'utf8')) as { pid: number }).pid;
    } catch {
      return undefined;
    }
  };
  const replaceConfig = (text: string): void => {
    const temporary = join(home, '.writ.toml.edited');
    writeFileSync(temporary, text, { mode: 0o600 });
    renameSync(temporary, configFile);
  };
  return {
    name,
    home,
    configFile,
    listen,
    writ,
    start: (...argv) => startProgram(['--home', home, ...argv], place),
    atTerminal: (...argv) => startAtTerminal(['--home', home, ...argv], place),
    client,
    clientIn: (session) =>
      createControlClient({
        socketPath: controlSocketOf(home),
        token: hostTokenOf(home),
        session,
      }),
    id: async () => (await client().call('node_status', {})).id,
    pid,
    up: () => mustWrit('up'),
    down: () => mustWrit('down'),
    async kill() {
      const [node] = withDescendants([pid() ?? -1]);
      if (node === undefined) throw new Error(`${name} does not run`);
      process.kill(node.pid, 'SIGKILL');
      await until(`${name} is gone`, () => !isAlive(node));
    },
    config: () => readFileSync(configFile, 'utf8'),
    replaceConfig,
    async configure(text) {
      replaceConfig(text);
      const { reloaded, generation, violations } = await client().call('policy_reload', { accept: true });
      if (!reloaded) throw new Error(`${name}: the configuration does not load: ${JSON.stringify(violations)}`);
      return generation;
    },
  };
}
