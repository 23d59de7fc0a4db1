import { PassThrough } from 'node:stream';
import { createSystemClock } from '@writ/core';
import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../env.ts';
import { defineCommands } from './commands/index.ts';
import { createProgram, runProgram } from './program.ts';
import { noTerminal } from './terminal/terminal.ts';

async function writ(...argv: string[]): Promise<{ code: number; err: string }> {
  let err = '';
  const program = createProgram('0');
  const add = (text: string): void => {
    err += text;
  };
  const quiet = { writeOut: () => undefined, writeErr: add };
  const stream = new PassThrough();
  const base = {
    environment: readEnvironment(),
    clock: createSystemClock(),
    streams: { in: stream, out: stream, err: stream } as never,
    signal: new AbortController().signal,
    stopSignal: () => new AbortController().signal,
    terminal: noTerminal,
    json: argv.includes('--json'),
  };
  const code = await runProgram(
    program,
    (d) => {
      defineCommands(d);
      for (const command of walk(d.program)) command.configureOutput(quiet);
    },
    base,
    argv,
  );
  return { code, err };
}

function* walk(command: ReturnType<typeof createProgram>): Generator<ReturnType<typeof createProgram>> {
  yield command;
  for (const child of command.commands) yield* walk(child);
}

describe('the command line', () => {
  it.each([['--help'], ['delegate', '--help'], ['peer', 'invite', '--help'], ['--version']])(
    '%s %s exits 0',
    async (...argv) => {
      expect((await writ(...argv)).code).toBe(0);
    },
  );

  it.each([
    [['delgate'], 'Did you mean delegate?'],
    [['lease', 'grnt'], 'Did you mean grant?'],
    [['delegate'], "required option '-p, --peer <label>'"],
    [['lease', 'grant', 'laptop', '--for', '1h'], "missing required argument 'profile'"],
    [['status', '--nonsense'], "unknown option '--nonsense'"],
  ])('%j exits 2 and says why', async (argv, why) => {
    const { code, err } = await writ(...argv);
    expect(code).toBe(2);
    expect(err).toContain(why);
  });

  it('a wrong call with --json is an error for a program', async () => {
    await expect(writ('delgate', '--json')).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining("unknown command 'delgate'"),
    });
  });
});
