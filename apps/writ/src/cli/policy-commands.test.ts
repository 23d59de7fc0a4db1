import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createSystemClock } from '@writ/core';
import { stockConfig } from '@writ/policy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEnvironment } from '../env.ts';
import { noTerminal } from '../terminal/terminal.ts';
import { defineCommands } from './commands/index.ts';
import { createProgram, runProgram } from './program.ts';

const STOCK = stockConfig({ nodeName: 'box', workspaces: [], isolation: 'none' });
let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'writ-cli-'));
  file('writ.toml', STOCK);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

function file(name: string, text: string | Uint8Array): string {
  writeFileSync(join(home, name), text, { mode: 0o600 });
  return join(home, name);
}

/** Runs a command that needs no node; what it prints, and its exit code or the code that it fails with. */
async function writ(...argv: string[]): Promise<{ readonly end: number | string; readonly out: string }> {
  const chunks: Buffer[] = [];
  const out = new PassThrough().on('data', (chunk: Buffer) => chunks.push(chunk));
  const base = {
    environment: readEnvironment(),
    clock: createSystemClock(),
    streams: { in: out, out, err: out } as never,
    signal: new AbortController().signal,
    stopSignal: () => new AbortController().signal,
    terminal: noTerminal,
    json: argv.includes('--json'),
  };
  const end = await runProgram(createProgram('0'), defineCommands, base, ['--home', home, ...argv]).catch(
    (error: { code: string; message: string }) => `${error.code} ${error.message}`,
  );
  return { end, out: Buffer.concat(chunks).toString() };
}

const json = async (...argv: string[]): Promise<unknown> => JSON.parse((await writ(...argv)).out);

describe('writ policy validate', () => {
  it('takes the configuration of the home, and one that is named', async () => {
    expect(await writ('policy', 'validate')).toMatchObject({ end: 0, out: expect.stringContaining('is valid') });
    const other = file('other.toml', STOCK.replace('name = "box"', 'nam = "box"'));
    const told = await writ('policy', 'validate', other);
    expect(told.end).toBe(2);
    expect(told.out).toMatch(/other\.toml:\d+:1 {2}UNKNOWN_KEY {2}node\.nam: unknown key `nam`, write `name`/);
    expect(await json('policy', 'validate', other, '--json')).toMatchObject({
      valid: false,
      violations: [
        { code: 'BAD_VALUE', path: 'node.name' },
        { code: 'UNKNOWN_KEY', path: 'node.nam', column: 1 },
      ],
    });
  });

  it.each<[string, string | Uint8Array, RegExp]>([
    ['nothing', '', /BAD_VALUE {2}schema: `schema` is missing/],
    ['bytes that are no text', Uint8Array.from({ length: 4096 }, (_, at) => (at * 7919) % 256), /:1:1 {2}TOML_SYNTAX/],
    ['NULs', '\0'.repeat(4096), /:1:1 {2}TOML_SYNTAX/],
    ['the same table twice', `${STOCK}[node]\n`, /TOML_SYNTAX {2}trying to redefine/],
    [
      'a circle',
      STOCK.replace('system-change = "repo-dev"', 'query = "readonly-agent"\nreadonly-agent = "query"'),
      /CEILING_CYCLE/,
    ],
  ])('refuses %s with its place', async (_, text, said) => {
    const told = await writ('policy', 'validate', file('bad.toml', text));
    expect(told).toMatchObject({ end: 2, out: expect.stringMatching(said) });
  });

  it('takes lines that end as on another system, and a mark of the byte order', async () => {
    expect((await writ('policy', 'validate', file('crlf.toml', STOCK.replaceAll('\n', '\r\n')))).end).toBe(0);
    expect((await writ('policy', 'validate', file('bom.toml', `\ufeff${STOCK}`))).end).toBe(0);
  });

  it('refuses a file of ten megabytes before it looks into it', async () => {
    const told = await writ('policy', 'validate', file('huge.toml', '#'.repeat(10 * 1024 * 1024)));
    expect(told.end).toMatch(/^BAD_REQUEST cannot read .*larger than/);
  });
});

describe('writ policy diff', () => {
  it('says who gains and who loses what between two files', async () => {
    const after = file(
      'after.toml',
      STOCK.replace('profiles = ["query", "readonly-agent", "repo-dev"]', 'profiles = ["query", "interactive"]'),
    );
    const told = await writ('policy', 'diff', after, join(home, 'writ.toml'));
    expect(told.end).toBe(0);
    expect(told.out).toContain('+ self gains: may ask for profile interactive');
    expect(told.out).toContain('- self loses: may ask for profile repo-dev');
    expect(told.out).toContain('writ policy reload --accept');
    expect(await json('policy', 'diff', after, after, '--json')).toEqual({ changes: [], gains: 0, loses: 0 });
  });

  it('has nothing to compare with where no node has started yet', async () => {
    expect((await writ('policy', 'diff')).end).toMatch(/^NOT_FOUND/);
  });
});

describe('a file of cases', () => {
  const good = { name: 'x', toml: 'schema = 1\n[node]\nname = "x"\n', load: 'ok' };

  it('comes to how many passed, and ends with 1 where one fails', async () => {
    const bad = { ...good, load: [{ code: 'BAD_NAME' }] };
    const told = await writ('policy', 'test', '--cases', file('cases.json', JSON.stringify([good, bad])), '--json');
    expect(told.end).toBe(1);
    expect(JSON.parse(told.out)).toMatchObject({ passed: 1, failed: 1, failures: [{ name: expect.any(String) }] });
    const fine = await writ('policy', 'test', '--cases', file('cases.json', JSON.stringify([good])));
    expect(fine).toEqual({ end: 0, out: '1 passed, 0 failed\n' });
    expect((await writ('policy', 'test', '--cases', file('cases.json', '{'))).end).toMatch(
      /^BAD_REQUEST a file of cases/,
    );
  });
});

describe('writ config', () => {
  it('shows what the file says, and every default that holds, with its source', async () => {
    const said = await writ('config', 'show');
    expect(said.out).toMatch(/node\.name +box +writ\.toml:\d+/);
    expect(said.out).not.toContain('default\n');
    expect((await writ('config', 'show', '--effective')).out).toMatch(/node\.max_chain +8 +default/);
  });

  it('has a schema for editors', async () => {
    expect(await json('config', 'schema', '--json')).toMatchObject({ type: 'object', additionalProperties: false });
  });
});

describe('the stock configuration', () => {
  it('has five profiles, each with a comment', () => {
    const heads = STOCK.split('\n').filter((line) => line.startsWith('[profiles.'));
    expect(heads.map((line) => line.replace(/^\[profiles\.([a-z-]+)\] +# rank (\d): .+$/, '$1 $2'))).toEqual([
      'query 0',
      'readonly-agent 1',
      'repo-dev 2',
      'interactive 3',
      'system-change 4',
    ]);
  });
});
