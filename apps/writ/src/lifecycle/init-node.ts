import { existsSync, lstatSync } from 'node:fs';
import {
  createSystemClock,
  createSystemRandom,
  ensurePrivateDirectory,
  quote,
  replacePrivateFile,
  WritError,
} from '@writ/core';
import { createIdentity } from '@writ/identity';
import { compileConfig, stockConfig } from '@writ/policy';
import type { Home } from '../home.ts';
import { resolveConfigPath } from '../node/paths.ts';
import { workspacePlaces } from '../node/workspace-place.ts';

export interface InitRequest {
  readonly name: string;
  /** `host:port`; absent: the node only dials out. */
  readonly listen?: string;
  readonly workspaces: readonly Workspace[];
  /** `none` where this machine has no sandbox. */
  readonly isolation: 'required' | 'none';
}

interface Workspace {
  readonly name: string;
  readonly path: string;
}

/** Makes keys and configuration of a node. Throws CONFLICT where there is one, CONFIG_INVALID where the answers make no valid configuration. */
export async function initNode(home: Home, request: InitRequest): Promise<{ id: string; name: string }> {
  if (existsSync(home.configFile)) refuseSecond(home);
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
  for (const dir of [home.configDir, home.dataDir]) ensurePrivateDirectory(dir);
  const random = createSystemRandom();
  const identity = await createIdentity({ dir: home.keysDir, clock: createSystemClock(), random });
  await replacePrivateFile(home.configFile, text, random);
  return { id: identity.public.id, name: request.name };
}

/** To put a file in its place would take a person's link away. */
function leadsNowhere(path: string): WritError {
  return new WritError('CONFLICT', `${quote(path)} is a link that leads nowhere`, {
    nextSteps: ['bring back what it leads to, or take the link away'],
  });
}

/** Throws CONFLICT: a home holds one node. */
export function refuseSecond(home: Home): never {
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
