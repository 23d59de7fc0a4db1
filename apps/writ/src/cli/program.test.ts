import { readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { createSystemClock } from '@writ/core';
import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../env.ts';
import { noTerminal } from '../terminal/terminal.ts';
import { defineCommands } from './commands/index.ts';
import { createProgram, runProgram } from './program.ts';

async function writ(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const program = createProgram('0');
  const [out, err] = [new PassThrough(), new PassThrough()];
  const base = {
    environment: readEnvironment(),
    clock: createSystemClock(),
    streams: { in: out, out, err } as never,
    signal: new AbortController().signal,
    stopSignal: () => new AbortController().signal,
    terminal: noTerminal,
    json: argv.includes('--json'),
  };
  const code = await runProgram(program, defineCommands, base, argv);
  return { code, out: String(out.read() ?? ''), err: String(err.read() ?? '') };
}

describe('the command line', () => {
  it('has no option with a value before the command that the entry does not step over', async () => {
    const entry = await readFile(new URL('../../bin/writ.js', import.meta.url), 'utf8');
    const valued = createProgram('0').options.filter(({ required, optional }) => required || optional);
    expect(valued.length).toBeGreaterThan(0);
    for (const { long, short } of valued) expect(entry, long).toContain(`words[at - 1] !== '${short ?? long}'`);
  });

  it.each([['--help'], ['delegate', '--help'], ['peer', 'invite', '--help'], ['--version']])(
    '%s %s exits 0',
    async (...argv) => {
      expect(await writ(...argv)).toMatchObject({ code: 0, out: expect.stringMatching(/./), err: '' });
    },
  );

  it.each([
    [['--json', '--help'], { help: expect.stringContaining('Usage: writ') }],
    [['help', '--json'], { help: expect.stringContaining('Usage: writ') }],
    [['task', 'list', '--help', '--json'], { help: expect.stringContaining('Usage: writ task list') }],
    [['--json', '--version'], { version: '0' }],
  ])('%j is JSON on standard output, and nothing else', async (argv, said) => {
    const { code, out, err } = await writ(...argv);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toEqual(said);
  });

  it.each([
    [['help', 'delgate'], 'unknown command `delgate`: did you mean `delegate`?', 'writ --help'],
    [['lease', 'help', 'nonsense'], 'unknown command `nonsense`', 'writ lease --help'],
    [['--json', 'help', 'nonsense'], 'unknown command `nonsense`', 'writ --help'],
    [['--home', 'help', 'help', 'nonsense'], 'unknown command `nonsense`', 'writ --help'],
  ])('%j is about no command', async (argv, message, step) => {
    await expect(writ(...argv)).rejects.toMatchObject({ code: 'BAD_REQUEST', message, nextSteps: [step] });
  });

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
    const named = await writ('--home', 'help', 'lease');
    expect(named).toMatchObject({ code: 2, err: expect.stringContaining('Usage: writ lease') });
    expect(await writ('task')).toMatchObject({ code: 2, out: '', err: expect.stringContaining('Usage: writ task') });
    await expect(writ('--json', 'task')).rejects.toMatchObject({ message: 'writ task needs a command' });
  });

  it('a wrong call with --json is an error for a program', async () => {
    await expect(writ('delgate', '--json')).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('unknown command `delgate`'),
    });
  });
});
