import { existsSync, lstatSync } from 'node:fs';
import {
  createSystemClock,
  createSystemRandom,
  ensurePrivateDirectory,
  quote,
  replacePrivateFile,
  WritError,
} from '@writ/core';
import { checkBinding } from '@writ/database';
import { createIdentity, loadIdentity } from '@writ/identity';
import { type Config, compileConfig, configInvalid, stockConfig } from '@writ/policy';
import { type Home, hasNode } from '../home.ts';
import { readConfigText } from '../node/config-text.ts';
import { resolveConfigPath } from '../node/paths.ts';
import { withWorkspacePlaces, workspacePlaces } from '../node/workspace-place.ts';
import { hasKeys, leftOfIdentity, missingKeys, noNode } from './half-home.ts';

export interface InitRequest {
  readonly name: string;
  /** `host:port`; absent: the node only dials out. */
  readonly listen?: string;
  readonly workspaces: readonly Workspace[];
  /** `none` where this machine has no sandbox. */
  readonly isolation: 'required' | 'none';
  /** Keys that are there without a configuration stay those of the node. */
  readonly keepsKeys?: boolean;
}

interface Workspace {
  readonly name: string;
  readonly path: string;
}

/** Makes keys and configuration of a node. Throws CONFLICT where there is one, CONFIG_INVALID where the answers make no valid configuration. */
export async function initNode(home: Home, request: InitRequest): Promise<{ id: string; name: string }> {
  refuseThere(home, request.keepsKeys);
  if (hasNode(home)) refuseSecond(home);
  if (lstatSync(home.configFile, { throwIfNoEntry: false }) !== undefined) throw leadsNowhere(home.configFile);
  const whyNot = workspacePlaces(home);
  for (const workspace of request.workspaces) checkWorkspace(workspace, request.workspaces, whyNot);
  const text = stockConfig({
    nodeName: request.name,
    listen: request.listen,
    workspaces: request.workspaces,
    isolation: request.isolation,
  });
  const compiled = compileConfig(text);
  if (!compiled.ok) {
    const [first] = compiled.violations;
    throw new WritError('CONFIG_INVALID', `${first?.path}: ${first?.message}`, { nextSteps: ['writ init --help'] });
  }
  checkBinding();
  for (const dir of [home.configDir, home.dataDir]) ensurePrivateDirectory(dir);
  const random = createSystemRandom();
  const options = { dir: home.keysDir, clock: createSystemClock(), random };
  const identity =
    request.keepsKeys === true && hasKeys(home) ? await loadIdentity(options) : await createIdentity(options);
  await replacePrivateFile(home.configFile, text, random);
  return { id: identity.public.id, name: request.name };
}

/**
 * Makes the keys of the node whose configuration is there without them. Throws CONFLICT where it has both, and CONFIG_INVALID for a
 * configuration with which a node does not start.
 */
export async function initKeys(home: Home): Promise<{ readonly id: string; readonly config: Config }> {
  if (hasKeys(home)) refuseSecond(home);
  refuseLeft(home);
  const compiled = withWorkspacePlaces(compileConfig(readConfigText(home.configFile)), home);
  if (!compiled.ok) throw configInvalid(compiled.violations);
  checkBinding();
  ensurePrivateDirectory(home.dataDir);
  const identity = await createIdentity({
    ...{ dir: home.keysDir, clock: createSystemClock(), random: createSystemRandom() },
  });
  return { id: identity.public.id, config: compiled.policy.config };
}

/**
 * Throws CONFLICT where something is left of the identity that is gone: what it signed would be nobody's beside another one, and a node that runs
 * has it open.
 */
function refuseLeft(home: Home): void {
  const left = leftOfIdentity(home);
  if (left === undefined) return;
  throw new WritError('CONFLICT', `${quote(left)} is left of the identity that is gone`, {
    nextSteps: missingKeys(home)?.nextSteps ?? [],
  });
}

/** Throws CONFLICT where there is a node or half of one, with the way out; `--keep` is one where a half is kept. */
export function refuseThere(home: Home, keeps = false): void {
  const half = missingKeys(home) ?? (!hasNode(home) && hasKeys(home) ? noNode(home) : undefined);
  if (half === undefined) {
    if (hasNode(home)) refuseSecond(home);
  } else if (!keeps) {
    throw new WritError('CONFLICT', half.message, { nextSteps: half.nextSteps });
  }
}

/** To put a file in its place would take a person's link away. */
function leadsNowhere(path: string): WritError {
  return new WritError('CONFLICT', `${quote(path)} is a link that leads nowhere`, {
    nextSteps: ['bring back what it leads to, or take the link away'],
  });
}

/** Throws CONFLICT: a home holds one node. */
function refuseSecond(home: Home): never {
  throw new WritError('CONFLICT', `there is a node in ${quote(home.root)} already`, {
    nextSteps: ['writ up', 'writ status'],
  });
}

/** A repository that is not there, or a second one of the same name, is told now and not by the first task. */
function checkWorkspace(
  workspace: Workspace,
  all: readonly Workspace[],
  whyNot: (path: string) => string | undefined,
): void {
  if (all.filter(({ name }) => name === workspace.name).length > 1) {
    throw new WritError('BAD_REQUEST', `workspace ${quote(workspace.name)} is named twice`, {
      nextSteps: ['give each workspace a name of its own'],
    });
  }
  const why = whyNot(workspace.path);
  if (why !== undefined) {
    throw new WritError('BAD_REQUEST', `workspace ${quote(workspace.name)}: ${why}`, {
      nextSteps: [`name a repository: --workspace ${workspace.name}=~/src/app`],
    });
  }
  if (!existsSync(resolveConfigPath(workspace.path, ''))) {
    throw new WritError(
      'BAD_REQUEST',
      `there is no folder ${quote(workspace.path)} for workspace ${quote(workspace.name)}`,
      {
        nextSteps: [`git clone it to ${workspace.path}, or name another folder`],
      },
    );
  }
}
