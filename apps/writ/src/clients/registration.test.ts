import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createSystemRandom } from '@writ/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRegistered, register, registrationOf, registrationSteps, unregister } from './registration.ts';
import { type ClientHome, makeClientHome, SERVER } from './testing/client-programs.ts';
import { CLIENT_NAMES, type ClientName } from './types.ts';

const random = createSystemRandom();
const OLDER = { command: '/usr/bin/node', args: ['/old/writ.js', 'mcp', 'serve'] };

let home: ClientHome;
beforeEach(() => {
  home = makeClientHome();
});
afterEach(() => home.close());

const add = (client: ClientName, server = SERVER) => register(home.world, client, server, random);
const remove = (client: ClientName) => unregister(home.world, client, SERVER, random);
const state = async (client: ClientName): Promise<string> => (await registrationOf(home.world, client, SERVER)).state;
const text = (path: string): string => readFileSync(join(home.dir, path), 'utf8');

/** Settings as somebody keeps them, by client: where, and what is in them. */
const SETTINGS: Readonly<Record<ClientName, readonly [path: string, text: string]>> = {
  claude: ['.claude.json', '{"numStartups":3,"mcpServers":{"other":{"command":"x","args":[]}}}'],
  codex: [
    '.codex/config.toml',
    '# mine\nmodel = "x" # best\n\n[mcp_servers.other]\ncommand = "x"\n\n[tui]\nnotify = true\n',
  ],
  cursor: ['.cursor/mcp.json', '{\n\t"mcpServers": {\n\t\t"other": { "url": "https://x.example" } // kept\n\t}\n}\n'],
  vscode: [
    '.config/Code/User/mcp.json',
    '{\r\n    // mine\r\n    "servers": {\r\n        "other": {"command": "x"},\r\n    },\r\n    "inputs": []\r\n}',
  ],
  gemini: ['.gemini/settings.json', '{\n  "theme": "dark" /* night */\n}\n'],
  opencode: [
    '.config/opencode/opencode.jsonc',
    '// mine\n{ "$schema": "https://opencode.ai/config.json", "mcp": {} }\n',
  ],
};

/** Comments and values of the settings; what has to be there afterwards. */
const words = (settings: string): readonly string[] => settings.match(/[\w$./#-]+/g) ?? [];

describe('a client without its own program', () => {
  it.each(CLIENT_NAMES)('%s is registered in its settings, and gets them back byte for byte', async (client) => {
    const [path, before] = SETTINGS[client];
    home.file(path, before);
    chmodSync(join(home.dir, path), 0o640);
    expect(await state(client)).toBe('absent');
    const done = await add(client);
    expect(done).toMatchObject({ changed: true, by: 'file', file: join(home.dir, path), confirmed: true });
    expect(await isRegistered(home.world, client, SERVER)).toBe(true);
    expect(words(before).filter((word) => !text(path).includes(word))).toEqual([]);
    expect(text(`${path}.before-writ`)).toBe(before);
    expect(statSync(join(home.dir, path)).mode & 0o777).toBe(0o640);
    expect(await add(client)).toMatchObject({ changed: false });
    expect(await remove(client)).toMatchObject({ changed: true });
    expect(text(path)).toBe(before);
    expect(readdirSync(join(home.dir, path, '..')).filter((name) => name.includes('before-writ'))).toEqual([]);
    expect(await remove(client)).toMatchObject({ changed: false });
  });

  it.each(CLIENT_NAMES)('%s gets settings where it has none, and loses them again', async (client) => {
    const { file } = await add(client);
    expect(await state(client)).toBe('registered');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await remove(client);
    expect(existsSync(file)).toBe(false);
  });

  it.each(CLIENT_NAMES)('%s keeps what it saved between the two', async (client) => {
    const [path, before] = SETTINGS[client];
    home.file(path, before);
    await add(client);
    const later = client === 'codex' ? `${text(path)}\n[later]\nx = 1\n` : text(path).replace('{', '{ "later": 1,');
    home.file(path, later);
    await remove(client);
    expect(await state(client)).toBe('absent');
    expect(text(path)).toContain('later');
    expect(words(before).filter((word) => word !== 'mcp' && !text(path).includes(word))).toEqual([]);
  });

  it.each(CLIENT_NAMES)('%s is told of another place of the same program', async (client) => {
    const [path, before] = SETTINGS[client];
    home.file(path, before);
    await add(client, OLDER);
    expect(await state(client)).toBe('other');
    await add(client);
    expect(await state(client)).toBe('registered');
    await remove(client);
    expect(text(path)).toBe(before);
  });
});

describe('settings that are not to be touched', () => {
  const cursor = '.cursor/mcp.json';

  it.each([
    ['broken', '{ "mcpServers": { '],
    ['no object', '[]'],
    ['with something else on the way', '{ "mcpServers": [] }'],
    ['with the key twice', '{ "mcpServers": {}, "mcpServers": { "a": {} } }'],
    ['in no text', '\xff\xfe'],
  ])('stay as they are: %s', async (_, before) => {
    const path = home.file(cursor, '');
    const bytes = Buffer.from(before, 'latin1');
    writeFileSync(path, bytes);
    await expect(add('cursor')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(path),
    });
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(readdirSync(join(home.dir, '.cursor'))).toEqual(['mcp.json']);
  });

  it.runIf(process.geteuid?.() === 0)('stay as they are where they belong to another user', async () => {
    const path = home.file(cursor, '{}\n');
    chownSync(path, 65_534, 65_534);
    await expect(add('cursor')).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('belongs to another user'),
    });
    expect(statSync(path).uid).toBe(65_534);
    expect(readFileSync(path, 'utf8')).toBe('{}\n');
  });

  it('stay as they are where they are read-only', async () => {
    const path = home.file(cursor, '{}');
    chmodSync(path, 0o444);
    await expect(add('cursor')).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('read-only'),
    });
    expect(readdirSync(join(home.dir, '.cursor'))).toEqual(['mcp.json']);
  });

  it('stay as they are where the name is taken by something else, or where somebody added to ours', async () => {
    const foreign = '{ "mcpServers": { "writ": { "command": "x", "args": [] } } }';
    home.file(cursor, foreign);
    expect(await state('cursor')).toBe('foreign');
    await expect(add('cursor')).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(remove('cursor')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(text(cursor)).toBe(foreign);
    home.file('.gemini/settings.json', '{}');
    await add('gemini');
    home.file('.gemini/settings.json', text('.gemini/settings.json').replace('"command"', '"trust": true, "command"'));
    await expect(remove('gemini')).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('are a folder, or a link that leads nowhere', async () => {
    mkdirSync(join(home.dir, cursor), { recursive: true });
    await expect(add('cursor')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    mkdirSync(join(home.dir, '.gemini'));
    symlinkSync(join(home.dir, 'gone.json'), join(home.dir, '.gemini/settings.json'));
    await expect(add('gemini')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(existsSync(join(home.dir, 'gone.json'))).toBe(false);
  });

  it('are followed where they are a link, which stays one', async () => {
    const kept = home.file('dotfiles/cursor.json', '{ "mcpServers": {} }\n');
    mkdirSync(join(home.dir, '.cursor'));
    symlinkSync(kept, join(home.dir, cursor));
    expect(await add('cursor')).toMatchObject({ file: kept });
    expect(lstatSync(join(home.dir, cursor)).isSymbolicLink()).toBe(true);
    await remove('cursor');
    expect(text('dotfiles/cursor.json')).toBe('{ "mcpServers": {} }\n');
    expect(lstatSync(join(home.dir, cursor)).isSymbolicLink()).toBe(true);
  });
});

describe('a client with its own program', () => {
  it.each([
    ['claude', 'claude'],
    ['codex', 'codex'],
    ['vscode', 'code'],
    ['gemini', 'gemini'],
  ] as const)('%s is told by it, with every argument as it is', async (client, program) => {
    home.program(program);
    expect(await add(client, OLDER)).toMatchObject({ changed: true, by: 'command', confirmed: true });
    expect(await add(client)).toMatchObject({ changed: true, by: 'command', confirmed: true });
    expect(await state(client)).toBe('registered');
    expect(await remove(client)).toMatchObject({ changed: true, confirmed: true });
    expect(await state(client)).toBe('absent');
  });

  it('says that its settings do not show what it said was done', async () => {
    home.program('liar');
    expect(await add('claude')).toMatchObject({ changed: true, confirmed: false });
  });

  it('says what its command said when it fails', async () => {
    home.file('bin/claude', '#!/bin/sh\necho "no space left" >&2\nexit 3\n');
    chmodSync(join(home.dir, 'bin/claude'), 0o755);
    await expect(add('claude')).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/status 3: no space left/),
    });
  });
});

describe('what is found', () => {
  it('is a client whose program or folder is there', async () => {
    home.program('claude');
    mkdirSync(join(home.dir, '.cursor'));
    const found = await Promise.all(CLIENT_NAMES.map((name) => registrationOf(home.world, name, SERVER)));
    expect(found.filter(({ isHere }) => isHere).map(({ client }) => client)).toEqual(['claude', 'cursor']);
  });

  it('is what a person would do by hand', () => {
    const { command, settings } = registrationSteps(home.world, 'gemini', SERVER);
    expect(command?.slice(0, 8)).toEqual(['gemini', 'mcp', 'add', '--scope', 'user', 'writ', SERVER.command, '--']);
    expect(JSON.parse(settings)).toEqual({ mcpServers: { writ: { command: SERVER.command, args: SERVER.args } } });
    expect(registrationSteps(home.world, 'opencode', SERVER).command).toBeUndefined();
  });

  it('is where the client keeps its settings on this system', () => {
    const mac = makeClientHome('darwin');
    const { file } = registrationSteps(mac.world, 'vscode', SERVER);
    mac.close();
    expect(file).toBe(join(mac.dir, 'Library/Application Support/Code/User/mcp.json'));
  });
});
