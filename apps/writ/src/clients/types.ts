/** Programs that speak MCP and that `writ mcp install` knows. */
export const CLIENT_NAMES = ['claude', 'codex', 'cursor', 'vscode', 'gemini', 'opencode'] as const;
export type ClientName = (typeof CLIENT_NAMES)[number];

/** The program that a client is told to start: absolute, for a client with a window has another PATH than a shell. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** How a program ended, and what it said. */
export interface Said {
  /** Null where it did not start, or was ended. */
  readonly exitCode: number | null;
  readonly said: string;
}

/** What of this machine registering needs. */
export interface ClientWorld {
  /** Home folder of the user; `~` of the clients. */
  readonly homeDir: string;
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absolute path of a program on PATH; undefined where there is none. */
  findProgram(name: string): Promise<string | undefined>;
  execute(argv: readonly string[]): Promise<Said>;
}

/** Settings in a file of some syntax, with comments and order kept. `keys` lead to one value. */
export interface SettingsFormat {
  /** Undefined where there is no such value. Throws CONFIG_INVALID where the text cannot be read. */
  read(text: string, keys: readonly string[]): unknown;
  /** Throws CONFIG_INVALID where the text cannot be read, or holds something else on the way. */
  put(text: string, keys: readonly string[], value: Readonly<Record<string, unknown>>): string;
  /** Without the value, and without what only held it. */
  take(text: string, keys: readonly string[]): string;
}

/** A client: where it keeps its servers, and how it is told of one. */
export interface Client {
  readonly name: ClientName;
  readonly title: string;
  /** Where its formats are documented. */
  readonly documented: string;
  /** Its settings of the user; absolute. */
  file(world: ClientWorld, exists: (path: string) => boolean): string;
  readonly format: SettingsFormat;
  /** Where in the settings the server stands. */
  readonly keys: readonly string[];
  /** The server as the settings say it. */
  entry(server: ServerCommand): Readonly<Record<string, unknown>>;
  /** The program in an entry; undefined where the entry is none that this made. */
  server(entry: unknown): ServerCommand | undefined;
  /** Its own commands, without the program itself. */
  readonly own?: {
    readonly program: string;
    add(server: ServerCommand): readonly string[];
    /** Absent: it has none, and the settings are edited. */
    readonly remove?: readonly string[];
  };
}
