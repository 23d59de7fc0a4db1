import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { quote, type Random, visible, WritError } from '@writ/core';
import { clientOf } from './client-table.ts';
import { backupOf, type FoundSettings, readSettings, replaceSettings } from './settings-file.ts';
import type { Client, ClientName, ClientWorld, ServerCommand } from './types.ts';

/**
 * What a client's settings say: `registered` with exactly this program, `other` with another one of Writ (an older
 * place, another home), `foreign` with something that Writ did not put there, `absent`, or `unreadable`.
 */
export type RegistrationState = 'registered' | 'other' | 'foreign' | 'absent' | 'unreadable';

/** A client, and whether it knows this node. */
export interface Registration {
  readonly client: ClientName;
  readonly title: string;
  /** Its settings, absolute. */
  readonly file: string;
  /** Whether it seems to be used on this machine: its program, or a folder of its settings. */
  readonly isHere: boolean;
  readonly state: RegistrationState;
  /** Why the settings cannot be read. */
  readonly problem?: string;
}

/** What registering did. */
export interface Registered {
  readonly client: ClientName;
  readonly changed: boolean;
  /** By its own command, or by an edit of its settings. */
  readonly by: 'command' | 'file';
  readonly file: string;
  /** A copy of the settings from before, where they were edited. */
  readonly backup?: string;
  /** False where its settings do not show what its own command said was done. */
  readonly confirmed: boolean;
}

/** Looks at a client; changes nothing and throws nothing. */
export async function registrationOf(
  world: ClientWorld,
  name: ClientName,
  server: ServerCommand,
): Promise<Registration> {
  const client = clientOf(name);
  const file = client.file(world, existsSync);
  const base = { client: name, title: client.title, file, isHere: await isHere(world, name) };
  try {
    const { text } = await readSettings(file);
    return { ...base, state: stateOf(client, text, server) };
  } catch (error) {
    return { ...base, state: 'unreadable', problem: (error as Error).message };
  }
}

/** Whether a client seems to be used on this machine: its program, its settings, or a folder of its own. */
export async function isHere(world: ClientWorld, name: ClientName): Promise<boolean> {
  const client = clientOf(name);
  const file = client.file(world, existsSync);
  return (await ownProgram(client, world)) !== undefined || existsSync(file) || isOwnFolder(dirname(file), world);
}

/** Whether a client starts exactly this program for Writ. */
export async function isRegistered(world: ClientWorld, name: ClientName, server: ServerCommand): Promise<boolean> {
  return (await registrationOf(world, name, server)).state === 'registered';
}

/** What a person, or their own script, would do to register: the client's own command where it is there, else the settings. */
export function registrationSteps(world: ClientWorld, name: ClientName, server: ServerCommand) {
  const client = clientOf(name);
  const { own, keys, format, documented } = client;
  const settings = format.put('', keys, client.entry(server));
  return {
    client: name,
    ...(own === undefined ? {} : { command: [own.program, ...own.add(server)] }),
    file: client.file(world, existsSync),
    settings,
    documented,
  };
}

/** Registers. Throws CONFLICT where something else has the name or the file cannot be written, CONFIG_INVALID. */
export async function register(
  world: ClientWorld,
  name: ClientName,
  server: ServerCommand,
  random: Random,
): Promise<Registered> {
  const client = clientOf(name);
  const { file, state } = await readable(world, name, server);
  const own = await ownProgram(client, world);
  const by = own === undefined ? 'file' : 'command';
  if (state === 'registered') return { client: name, changed: false, by, file, confirmed: true };
  if (own !== undefined) {
    if (state === 'other' && client.own?.remove !== undefined) await run(world, [own, ...client.own.remove]);
    await run(world, [own, ...(client.own?.add(server) ?? [])]);
    const confirmed = await isRegistered(world, name, server);
    return { client: name, changed: true, by, file, confirmed };
  }
  const found = await readSettings(file);
  const text = edited(client, found, server);
  // The copy that is there already is from before all that this program did.
  const keepBefore = state === 'absent';
  await replaceSettings(found, text, { keepBefore, random });
  const backup = found.text !== undefined && existsSync(backupOf(found.path)) ? { backup: backupOf(found.path) } : {};
  return { client: name, changed: true, by, file: found.path, ...backup, confirmed: true };
}

/** Takes back what `register` put, and nothing else. Throws as that does. */
export async function unregister(
  world: ClientWorld,
  name: ClientName,
  server: ServerCommand,
  random: Random,
): Promise<Registered> {
  const client = clientOf(name);
  const { file, state } = await readable(world, name, server);
  const own = client.own?.remove === undefined ? undefined : await ownProgram(client, world);
  const by = own === undefined ? 'file' : 'command';
  if (state === 'absent') return { client: name, changed: false, by, file, confirmed: true };
  if (own !== undefined) {
    await run(world, [own, ...(client.own?.remove ?? [])]);
    const { state: after } = await registrationOf(world, name, server);
    return { client: name, changed: true, by, file, confirmed: after === 'absent' };
  }
  const found = await readSettings(file);
  const before = await textBefore(client, found.path, found.text ?? '');
  await replaceSettings(found, before.text, { keepBefore: false, random });
  if (before.isBackup)
    await replaceSettings(await readSettings(backupOf(found.path)), undefined, { keepBefore: false, random });
  return { client: name, changed: true, by, file: found.path, confirmed: true };
}

/**
 * The settings without the entry: byte for byte as they were, where nothing else has changed since, otherwise with the
 * entry alone taken out. `text` is undefined where this program made the file.
 */
async function textBefore(
  client: Client,
  path: string,
  now: string,
): Promise<{ readonly text: string | undefined; readonly isBackup: boolean }> {
  const { format, keys } = client;
  const entry = format.read(now, keys) as Readonly<Record<string, unknown>>;
  const { text: backup } = await readSettings(backupOf(path)).catch(() => ({ text: undefined }));
  if (backup !== undefined && wouldBe(client, backup, entry) === now) return { text: backup, isBackup: true };
  if (wouldBe(client, '', entry) === now) return { text: undefined, isBackup: false };
  return { text: format.take(now, keys), isBackup: false };
}

/** Throws CONFIG_INVALID, with the file that it is about. */
function edited({ format, keys, entry, title, name }: Client, found: FoundSettings, server: ServerCommand): string {
  try {
    return format.put(found.text ?? '', keys, entry(server));
  } catch (cause) {
    throw unreadable({ title, client: name, file: found.path, problem: (cause as Error).message });
  }
}

function unreadable(settings: Pick<Registration, 'title' | 'client' | 'file' | 'problem'>): WritError {
  const { title, client, file, problem } = settings;
  return new WritError('CONFIG_INVALID', `the settings of ${title}, ${quote(file)}: ${problem}`, {
    nextSteps: ['mend the file', `writ mcp install --client ${client} --print`],
  });
}

function wouldBe(
  { format, keys }: Client,
  before: string,
  entry: Readonly<Record<string, unknown>>,
): string | undefined {
  try {
    return format.put(before, keys, entry);
  } catch {
    return undefined;
  }
}

/** Throws CONFIG_INVALID for settings that cannot be read, CONFLICT for an entry that is somebody else's. */
async function readable(world: ClientWorld, name: ClientName, server: ServerCommand): Promise<Registration> {
  const found = await registrationOf(world, name, server);
  if (found.state === 'unreadable') throw unreadable(found);
  if (found.state === 'foreign') {
    const where = clientOf(name).keys.join('.');
    throw new WritError('CONFLICT', `${quote(where)} in ${quote(found.file)} is not what this program puts there`, {
      nextSteps: ['look at it, and take it out by hand if it may go', `writ mcp install --client ${name} --print`],
    });
  }
  return found;
}

function stateOf(client: Client, text: string | undefined, server: ServerCommand): RegistrationState {
  const entry = client.format.read(text ?? '', client.keys);
  if (entry === undefined) return 'absent';
  const found = client.server(entry);
  if (isDeepStrictEqual(found, { command: server.command, args: [...server.args] })) return 'registered';
  return found !== undefined && isOfWrit(found) ? 'other' : 'foreign';
}

/** Ends as every command does that this program registers. */
function isOfWrit({ args }: ServerCommand): boolean {
  const at = args.indexOf('mcp');
  return at >= 0 && args[at + 1] === 'serve';
}

/** A folder of the client alone; the folder of the user's home is everybody's. */
function isOwnFolder(folder: string, { homeDir }: ClientWorld): boolean {
  return folder !== homeDir && existsSync(folder);
}

async function ownProgram({ own }: Client, world: ClientWorld): Promise<string | undefined> {
  return own && (await world.findProgram(own.program));
}

/** Throws CONFLICT where it does not end well. */
async function run(world: ClientWorld, argv: readonly string[]): Promise<void> {
  const { exitCode, said } = await world.execute(argv);
  if (exitCode === 0) return;
  const how = exitCode === null ? 'did not run to its end' : `ended with status ${exitCode}`;
  throw new WritError('CONFLICT', `${quote(argv.join(' '))} ${how}: ${visible(said.trim().slice(0, 400))}`, {
    nextSteps: ['run it yourself to see why'],
  });
}
