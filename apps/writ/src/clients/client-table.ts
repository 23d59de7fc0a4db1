import { join } from 'node:path';
import { jsonSettings } from './json-settings.ts';
import { tomlSettings } from './toml-settings.ts';
import type { Client, ClientName, ClientWorld, ServerCommand } from './types.ts';

/** What the server is called in every client. */
const SERVER_NAME = 'writ';

/** A command and its arguments apart, as most clients write a server. */
const apart = {
  entry: ({ command, args }: ServerCommand) => ({ command, args: [...args] }),
  server: (entry: unknown) => readServer(entry, ['type', 'command', 'args', 'env']),
};

const CLIENTS: Readonly<Record<ClientName, Omit<Client, 'name'>>> = {
  claude: {
    title: 'Claude Code',
    documented: 'https://code.claude.com/docs/en/mcp',
    file: ({ environment, homeDir }) => join(environment.CLAUDE_CONFIG_DIR || homeDir, '.claude.json'),
    format: jsonSettings,
    keys: ['mcpServers', SERVER_NAME],
    ...apart,
    entry: (server) => ({ type: 'stdio', ...apart.entry(server) }),
    own: {
      program: 'claude',
      add: ({ command, args }) => ['mcp', 'add', '--scope', 'user', SERVER_NAME, '--', command, ...args],
      remove: ['mcp', 'remove', '--scope', 'user', SERVER_NAME],
    },
  },
  codex: {
    title: 'Codex',
    documented: 'https://developers.openai.com/codex/mcp',
    file: ({ environment, homeDir }) => join(environment.CODEX_HOME || join(homeDir, '.codex'), 'config.toml'),
    format: tomlSettings,
    keys: ['mcp_servers', SERVER_NAME],
    ...apart,
    own: {
      program: 'codex',
      add: ({ command, args }) => ['mcp', 'add', SERVER_NAME, '--', command, ...args],
      remove: ['mcp', 'remove', SERVER_NAME],
    },
  },
  cursor: {
    title: 'Cursor',
    documented: 'https://cursor.com/docs/mcp',
    file: ({ homeDir }) => join(homeDir, '.cursor', 'mcp.json'),
    format: jsonSettings,
    keys: ['mcpServers', SERVER_NAME],
    ...apart,
  },
  vscode: {
    title: 'VS Code',
    documented: 'https://code.visualstudio.com/docs/copilot/reference/mcp-configuration',
    file: (world) => join(codeFolder(world), 'User', 'mcp.json'),
    format: jsonSettings,
    keys: ['servers', SERVER_NAME],
    ...apart,
    entry: (server) => ({ type: 'stdio', ...apart.entry(server) }),
    own: {
      program: 'code',
      add: (server) => ['--add-mcp', JSON.stringify({ name: SERVER_NAME, ...apart.entry(server) })],
    },
  },
  gemini: {
    title: 'Gemini CLI',
    documented: 'https://geminicli.com/docs/tools/mcp-server/',
    file: ({ homeDir }) => join(homeDir, '.gemini', 'settings.json'),
    format: jsonSettings,
    keys: ['mcpServers', SERVER_NAME],
    ...apart,
    own: {
      program: 'gemini',
      // What stands behind `--` are arguments of the server, whatever they look like; the command stands before it.
      add: ({ command, args }) => ['mcp', 'add', '--scope', 'user', SERVER_NAME, command, '--', ...args],
      remove: ['mcp', 'remove', '--scope', 'user', SERVER_NAME],
    },
  },
  opencode: {
    title: 'OpenCode',
    documented: 'https://opencode.ai/docs/mcp-servers/',
    // It reads both; whoever has the one with comments keeps settings there.
    file(world, exists) {
      const folder = join(configFolder(world), 'opencode');
      const commented = join(folder, 'opencode.jsonc');
      return exists(commented) ? commented : join(folder, 'opencode.json');
    },
    format: jsonSettings,
    keys: ['mcp', SERVER_NAME],
    entry: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
    server: (entry) => readJoined(entry),
    // `opencode mcp add` asks at a terminal, so its settings are edited.
  },
};

/** The client of a name. */
export function clientOf(name: ClientName): Client {
  return { name, ...CLIENTS[name] };
}

function configFolder({ environment, homeDir }: ClientWorld): string {
  return environment.XDG_CONFIG_HOME || join(homeDir, '.config');
}

function codeFolder(world: ClientWorld): string {
  if (world.platform === 'darwin') return join(world.homeDir, 'Library', 'Application Support', 'Code');
  return join(configFolder(world), 'Code');
}

/** The server of an entry that holds nothing that somebody added. */
function readServer(entry: unknown, known: readonly string[]): ServerCommand | undefined {
  if (!isRecord(entry) || Object.keys(entry).some((key) => !known.includes(key))) return undefined;
  const { command, args, env, type } = entry;
  if (typeof command !== 'string' || !isStrings(args)) return undefined;
  if (type !== undefined && type !== 'stdio') return undefined;
  if (env !== undefined && !(isRecord(env) && Object.keys(env).length === 0)) return undefined;
  return { command, args };
}

function readJoined(entry: unknown): ServerCommand | undefined {
  if (!isRecord(entry) || entry.type !== 'local' || entry.enabled !== true || Object.keys(entry).length !== 3) {
    return undefined;
  }
  if (!isStrings(entry.command)) return undefined;
  const [command, ...args] = entry.command;
  return command === undefined ? undefined : { command, args };
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
