import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientWorld, ServerCommand } from '../types.ts';
import { openClientWorld } from '../world.ts';

/** A home folder, and a PATH with whatever programs a test puts there. */
export interface ClientHome {
  readonly dir: string;
  readonly world: ClientWorld;
  /** Writes a file below the home; its absolute path. */
  file(path: string, text: string): string;
  /** Puts the program of a client on PATH. It answers as the real one's documentation says. */
  program(name: keyof typeof PROGRAMS): void;
  close(): void;
}

/** The server that tests register. */
export const SERVER: ServerCommand = {
  command: '/opt/node/bin/node',
  args: ['/opt/my writ/bin/writ.js', 'mcp', 'serve', '--home', '/srv/it\'s "here"'],
};

/** Reads its settings, or nothing. */
const READ = `
const { readFileSync, writeFileSync, mkdirSync, appendFileSync, existsSync } = require('node:fs');
const { dirname } = require('node:path');
const home = process.env.HOME;
const args = process.argv.slice(2);
const fail = (text) => { console.error(text); process.exit(1); };
const load = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});
const save = (file, value) => { mkdirSync(dirname(file), { recursive: true }); writeFileSync(file, JSON.stringify(value, null, 2)); };
`;

const PROGRAMS = {
  claude: `
const file = home + '/.claude.json';
const settings = load(file);
settings.mcpServers ??= {};
const [mcp, verb, scope, user, name, dashes, command, ...rest] = args;
if (mcp !== 'mcp' || scope !== '--scope' || user !== 'user') fail('unknown command: ' + args.join(' '));
if (verb === 'add') {
  if (dashes !== '--' || settings.mcpServers[name]) fail('MCP server ' + name + ' already exists in user config');
  settings.mcpServers[name] = { type: 'stdio', command, args: rest, env: {} };
} else {
  if (!settings.mcpServers[name]) fail('No user-scoped MCP server found with name: ' + name);
  delete settings.mcpServers[name];
}
save(file, settings);
console.log('done');`,
  codex: `
const file = home + '/.codex/config.toml';
const [mcp, verb, name, dashes, command, ...rest] = args;
if (mcp !== 'mcp') fail('unrecognized subcommand');
mkdirSync(dirname(file), { recursive: true });
const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
const without = text.replace(/\\n?\\[mcp_servers\\.writ\\]\\n(.+\\n)*/, '');
if (verb === 'add' && dashes === '--') {
  writeFileSync(file, without + '\\n[mcp_servers.' + name + ']\\ncommand = ' + JSON.stringify(command) + '\\nargs = ' + JSON.stringify(rest) + '\\n');
} else writeFileSync(file, without);`,
  code: `
if (args[0] !== '--add-mcp') fail('unknown option');
const { name, ...server } = JSON.parse(args[1]);
const file = home + '/.config/Code/User/mcp.json';
const settings = load(file);
save(file, { ...settings, servers: { ...settings.servers, [name]: server } });`,
  gemini: `
const file = home + '/.gemini/settings.json';
const settings = load(file);
settings.mcpServers ??= {};
const [mcp, verb, scope, user, name, command, dashes, ...rest] = args;
if (mcp !== 'mcp' || scope !== '--scope' || user !== 'user') fail('unknown command');
if (verb === 'add') settings.mcpServers[name] = { command, args: dashes === '--' ? rest : [] };
else delete settings.mcpServers[name];
save(file, settings);`,
  /** One that says that it is done and does nothing. */
  liar: 'console.log("done");',
};

export function makeClientHome(platform: NodeJS.Platform = 'linux'): ClientHome {
  const dir = mkdtempSync(join(tmpdir(), 'writ-clients-'));
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  const all = { HOME: dir, PATH: bin };
  return {
    dir,
    world: { ...openClientWorld({ all, homeDir: dir }), platform },
    file(path, text) {
      const whole = join(dir, path);
      mkdirSync(join(whole, '..'), { recursive: true });
      writeFileSync(whole, text);
      return whole;
    },
    program(name) {
      const path = join(bin, name === 'liar' ? 'claude' : name);
      writeFileSync(path, `#!${process.execPath}\n${READ}${PROGRAMS[name]}\n`);
      chmodSync(path, 0o755);
    },
    close: () => rmSync(dir, { recursive: true, force: true }),
  };
}
