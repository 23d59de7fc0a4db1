import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { wrongOutput } from './json-output.ts';
import { until } from './waiting.ts';

/** The command line's entry: what a test starts, and what a task of a test may start. */
export const WRIT_PROGRAM = fileURLToPath(new URL('../../../../apps/writ/bin/writ.js', import.meta.url));
const BUILT = fileURLToPath(new URL('../../../../apps/writ/dist/writ.js', import.meta.url));

/** What one run of `writ` came to. */
export interface ProgramResult {
  /** Exit code; -1 where a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** All of `stdout` as one JSON value; undefined where it is not exactly that. */
  readonly json: unknown;
}

/** A run of `writ` that goes on. */
export interface RunningProgram {
  readonly pid: number;
  /** Written to so far. */
  stdout(): string;
  stderr(): string;
  /** Writes to its standard input. */
  type(text: string): void;
  /** Ends its standard input. */
  endInput(): void;
  kill(signal: NodeJS.Signals): void;
  /** Waits until `stdout` matches, and returns the match. Throws when it ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  /** Rejects where what was printed with `--json` is not what docs/schemas says of the command. */
  readonly ended: Promise<ProgramResult>;
}

/** What a program gets beside its arguments. */
export interface ProgramPlace {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** Path and arguments of `writ`, for somebody else to start it. Throws where it is not built. */
export function programCommand(argv: readonly string[]): { readonly command: string; readonly args: string[] } {
  if (!existsSync(BUILT)) throw new Error('there is no build of writ; npm run build makes it');
  return { command: process.execPath, args: [WRIT_PROGRAM, ...argv] };
}

/** Starts `writ` with these arguments. */
export function startProgram(argv: readonly string[], place: ProgramPlace): RunningProgram {
  return start(programCommand(argv), argv, place);
}

/** Relays between the pipes of a test and a pseudo terminal, which is the one that the program belongs to. */
const RELAY = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';
/** Runs the program, then says how it left the terminal. */
const AND_TELL = '"$@"; code=$?; stty -a; exit $code';

/**
 * The same at a terminal of its own (needs python3): what it writes comes together as `stdout`, and after its end what
 * `stty` says of the terminal.
 */
export function startAtTerminal(argv: readonly string[], place: ProgramPlace): RunningProgram {
  const { command, args } = programCommand(argv);
  const relayed = ['-c', RELAY, 'sh', '-c', AND_TELL, 'sh', command, ...args];
  return start({ command: 'python3', args: relayed }, argv, place);
}

function start(
  { command, args }: ReturnType<typeof programCommand>,
  argv: readonly string[],
  place: ProgramPlace,
): RunningProgram {
  const child = spawn(command, args, { cwd: place.cwd, env: place.environment, stdio: 'pipe' });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  // A program that has ended reads no more.
  child.stdin.on('error', () => undefined);
  const text = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString('utf8');
  let result: ProgramResult | undefined;
  const ended = new Promise<ProgramResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      const stdout = text(out);
      result = { code: code ?? -1, stdout, stderr: text(err), json: parseOne(stdout) };
      const wrong = wrongOutput(argv, stdout);
      if (wrong === undefined) resolve(result);
      else reject(new Error(wrong));
    });
  });
  return {
    pid: child.pid ?? -1,
    stdout: () => text(out),
    stderr: () => text(err),
    type: (line) => void child.stdin.write(line),
    endInput: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
    says: (pattern) =>
      until(`${argv.join(' ')} says ${pattern}`, () => {
        const match = pattern.exec(text(out));
        if (match === null && result !== undefined) {
          throw new Error(`writ ${argv.join(' ')} ended with ${result.code}: ${result.stdout}${result.stderr}`);
        }
        return match ?? undefined;
      }),
    ended,
  };
}

/** Runs `writ` to its end; its standard input is empty. */
export function runProgram(argv: readonly string[], place: ProgramPlace): Promise<ProgramResult> {
  const running = startProgram(argv, place);
  running.endInput();
  return running.ended;
}

/** Every line of a stream of JSON lines. Throws at a line that is none. */
export function jsonLines(text: string): readonly Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function parseOne(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
