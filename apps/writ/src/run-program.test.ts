import { describe, expect, it } from 'vitest';
import { runProgram } from './run-program.ts';

const run = (script: string, more: Partial<Parameters<typeof runProgram>[1]> = {}) =>
  runProgram([process.execPath, '-e', script], { environment: { A: 'a' }, timeoutMs: 30_000, ...more });

describe('a program that is run to its end', () => {
  it('tells how it ended and what it said, with the environment that it was given and no input', async () => {
    const script = `process.stdin.on('data', () => {}).on('end', () => {
      process.stdout.write(process.env.A); process.stderr.write('b'); process.exitCode = 3; })`;
    expect(await run(script)).toEqual({ exitCode: 3, stdout: 'a', said: 'b' });
  });

  it('reads what it is told, or leaves it', async () => {
    const told = { fd: 3, bytes: new TextEncoder().encode('told') };
    const script = `process.stdout.write(require('node:fs').readFileSync(3))`;
    expect(await run(script, { told })).toMatchObject({ exitCode: 0, stdout: 'told' });
    expect(await run('', { told })).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('is ended where it takes too long, and says why it did not start', async () => {
    expect(await run('setInterval(() => {}, 1000)', { timeoutMs: 1 })).toMatchObject({ exitCode: null });
    const options = { environment: {}, timeoutMs: 30_000 };
    expect(await runProgram(['/nowhere/x'], options)).toEqual({
      exitCode: null,
      stdout: '',
      said: expect.stringContaining('ENOENT'),
    });
  });
});
