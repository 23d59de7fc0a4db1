import { PassThrough } from 'node:stream';
import { createSystemClock } from '@writ/core';
import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../env.ts';
import { noTerminal } from '../terminal/terminal.ts';
import { defineCommands } from './commands/index.ts';
import { createProgram, runProgram } from './program.ts';

async function writ(...argv: string[]): Promise<{ code: number; err: string }> {
  let err = '';
  const program = createProgram('0');
  const add = (text: string): void => {
    err += text;
  };
  const quiet = { writeOut: () => undefined, writeErr: add, outputError: () => undefined };
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
    [['delgate'], 'unknown command `delgate`: did you mean `delegate`?', 'writ --help'],
    [['lease', 'grnt'], 'unknown command `grnt`: did you mean `grant`?', 'writ lease --help'],
    [['delegate'], 'required option `-p, --peer <label>` not specified', 'writ delegate --help'],
    [['lease', 'grant', 'laptop', '--for', '1h'], 'missing required argument `profile`', 'writ lease grant laptop'],
    [['status', '--nonsense'], 'unknown option `--nonsense`', 'writ status --help'],
  ])('%j is refused with what is wrong and what to type', async (argv, message, step) => {
    await expect(writ(...argv)).rejects.toMatchObject({
      ...{ code: 'BAD_REQUEST', message },
      nextSteps: expect.arrayContaining([expect.stringContaining(step)]),
    });
  });

  it('a group without a command shows what there is', async () => {
    expect((await writ('task')).code).toBe(2);
    await expect(writ('--json', 'task')).rejects.toMatchObject({ message: 'writ task needs a command' });
  });

  it('a wrong call with --json is an error for a program', async () => {
    await expect(writ('delgate', '--json')).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('unknown command `delgate`'),
    });
  });
});
