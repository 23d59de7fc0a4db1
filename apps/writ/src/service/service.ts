import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { quote, type Random, replacePrivateFile, sha256Hex, WritError } from '@writ/core';
import type { Environment } from '../env.ts';
import type { Home } from '../home.ts';
import { ownArgv, ownScript } from '../own-script.ts';
import { launchd } from './launchd.ts';
import { systemd } from './systemd.ts';
import type { ServiceManager, ServiceOrder } from './types.ts';

/** Runs a program of the service manager; how it ended and what it said. */
export type Execute = (argv: readonly string[]) => Promise<{ readonly exitCode: number | null; readonly said: string }>;

/** A node as a service of this user. */
export interface Service {
  readonly manager: ServiceManager;
  readonly order: ServiceOrder;
  readonly file: string;
  readonly text: string;
}

/** What became of installing or uninstalling. */
export interface ServiceChange {
  readonly kind: ServiceManager['kind'];
  readonly file: string;
  readonly changed: boolean;
  /** Commands of the manager that did not end well, as they are typed, with what they said. */
  readonly failed: readonly { readonly command: string; readonly said: string }[];
}

/** Whether it is installed, and runs. */
export interface ServiceStatus {
  readonly kind: ServiceManager['kind'];
  readonly file: string;
  /** `other`: the file starts another program, or was changed. */
  readonly installed: 'yes' | 'no' | 'other';
  readonly active: boolean;
}

/** What would start the node of `home`. Throws BAD_REQUEST where this system has no service manager that is known. */
export function describeService(
  home: Pick<Home, 'root' | 'named'>,
  environment: Pick<Environment, 'all' | 'homeDir' | 'xdgConfigHome'>,
  platform: NodeJS.Platform,
  script = ownScript(),
): Service {
  const manager = managerOf(environment, platform);
  const argv = ownArgv(home, ['up', '--foreground'], script);
  const name = home.named.options.length > 0 ? `writ-${sha256Hex(home.root).slice(0, 8)}` : 'writ';
  const order = { argv, path: environment.all.PATH ?? '/usr/local/bin:/usr/bin:/bin', name };
  return { manager, order, file: manager.file(name), text: manager.describe(order) };
}

/** Puts the description in place and has it started at login. Throws CONFLICT where another one stands there. */
export async function installService(service: Service, execute: Execute, random: Random): Promise<ServiceChange> {
  const { manager, order, file, text } = service;
  const before = installedText(file);
  if (before !== undefined && !isOurs(before, manager)) throw notOurs(file);
  if (before !== text) {
    await mkdir(dirname(file), { recursive: true });
    await replacePrivateFile(file, text, random);
  }
  const failed = await runAll(manager.enable(order.name), execute);
  return { kind: manager.kind, file, changed: before !== text, failed };
}

/** Takes it away; a node that runs goes on. Throws CONFLICT where somebody else's stands there. */
export async function uninstallService({ manager, order, file }: Service, execute: Execute): Promise<ServiceChange> {
  const before = installedText(file);
  if (before === undefined) return { kind: manager.kind, file, changed: false, failed: [] };
  if (!isOurs(before, manager)) throw notOurs(file);
  const failed = await runAll(manager.disable(order.name), execute);
  await rm(file);
  return { kind: manager.kind, file, changed: true, failed };
}

/** Looks; changes nothing. */
export async function serviceStatus({ manager, order, file, text }: Service, execute: Execute): Promise<ServiceStatus> {
  const before = installedText(file);
  const installed = before === undefined ? 'no' : before === text ? 'yes' : 'other';
  const { exitCode } = installed === 'no' ? { exitCode: 1 } : await execute(manager.isActive(order.name));
  return { kind: manager.kind, file, installed, active: exitCode === 0 };
}

/** Whether a description stands there. */
export function isInstalled(file: string): boolean {
  return existsSync(file);
}

function managerOf(
  { homeDir = '', xdgConfigHome }: Pick<Environment, 'homeDir' | 'xdgConfigHome'>,
  platform: NodeJS.Platform,
): ServiceManager {
  if (platform === 'darwin') return launchd(homeDir);
  if (platform === 'linux') return systemd(xdgConfigHome ?? join(homeDir, '.config'));
  throw new WritError('BAD_REQUEST', `there is no service for ${platform}`, {
    nextSteps: ['start it at login yourself: writ up'],
  });
}

function installedText(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Whatever else is in it, this program put it there. */
function isOurs(text: string, { marker }: ServiceManager): boolean {
  return text.split('\n').includes(marker);
}

function notOurs(file: string): WritError {
  return new WritError('CONFLICT', `${quote(file)} is not what this program puts there`, {
    nextSteps: ['look at it, and move it away if it may go'],
  });
}

async function runAll(commands: readonly (readonly string[])[], execute: Execute): Promise<ServiceChange['failed']> {
  const failed: { command: string; said: string }[] = [];
  for (const argv of commands) {
    const { exitCode, said } = await execute(argv);
    if (exitCode !== 0) failed.push({ command: argv.join(' '), said: said.trim() });
  }
  return failed;
}
