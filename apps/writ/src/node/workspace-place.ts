import { homedir } from 'node:os';
import { dirname, sep } from 'node:path';
import { quote } from '@writ/core';
import { type CompileResult, type Config, finish, type Sliced, type Violation } from '@writ/policy';
import type { Home } from '../home.ts';
import { resolveConfigPath } from './paths.ts';
import { realPath } from './real-path.ts';

/** What a compiled configuration comes to on this machine: one with a workspace in no place for one does not load. */
export function withWorkspacePlaces(compiled: CompileResult, home: Home): CompileResult {
  return finish(lookAtPlaces(compiled, home));
}

/** The same, with a rest after each workspace: each is some calls of the system, and there may be thousands. */
export function* lookAtPlaces(compiled: CompileResult, home: Home): Sliced<CompileResult> {
  if (!compiled.ok) return compiled;
  const { config, index } = compiled.policy;
  const violations: Violation[] = [];
  for (const violation of misplaced(config, home)) {
    yield;
    if (violation === undefined) continue;
    const position = index.position(violation.path);
    violations.push(position === undefined ? violation : { ...violation, position });
  }
  return violations.length === 0 ? compiled : { ok: false, violations };
}

/**
 * Of each workspace, one after the other, why it is no folder of one piece of work. What is in a workspace may be read, and
 * changed, by whoever may work there: that is neither everything that the user has nor anything of the node itself.
 */
function* misplaced({ workspaces }: Pick<Config, 'workspaces'>, home: Home): Generator<Violation | undefined, void> {
  const whyNot = workspacePlaces(home);
  for (const [name, { path }] of workspaces) {
    const why = whyNot(path);
    yield why === undefined ? undefined : { code: 'BAD_VALUE', path: `workspaces.${name}.path`, message: why };
  }
}

/** Says why a folder, as `writ.toml` names it, can be no workspace, and what to do; undefined where nothing speaks against it. */
export function workspacePlaces(home: Home): (path: string) => string | undefined {
  const user = placesOf(homedir());
  const own = foldersOf(home).map((folder) => ({ folder, places: placesOf(folder) }));
  const reason = (places: readonly string[]): string | undefined => {
    const holds = (inside: readonly string[]): boolean =>
      inside.some((one) => places.some((place) => isIn(one, place)));
    if (places.includes(sep)) return 'is the whole file system';
    if (holds(user)) return 'is your home, or above it';
    const within = own.find((one) => holds(one.places));
    if (within !== undefined) return `holds what is the node’s own (${quote(within.folder)})`;
    const around = own.find((one) => places.some((place) => one.places.some((folder) => isIn(place, folder))));
    return around && `is in a folder of the node’s own (${quote(around.folder)})`;
  };
  return (path) => {
    const why = reason(placesOf(resolveConfigPath(path, home.configFile)));
    return why && `${quote(path)} ${why}: name the folder of one repository`;
  };
}

/** Folders in which nobody works but the node. Where the whole home is one folder, there may be other things beside them. */
function foldersOf(home: Home): readonly string[] {
  const { keysDir, pinsDir, approversDir, auditDir, evidenceDir, secretsDir, runDir } = home;
  const { transcriptsDir, outputsDir, mirrorsDir, workspacesDir, configDir, dataDir } = home;
  return [
    ...(configDir === dataDir ? [] : [configDir, dataDir]),
    ...[keysDir, pinsDir, approversDir, auditDir, evidenceDir, secretsDir, runDir, dirname(home.databaseFile)],
    ...[transcriptsDir, outputsDir, mirrorsDir, workspacesDir],
  ];
}

/** A folder as it is named, and where that is. */
function placesOf(folder: string): readonly string[] {
  return [folder, realPath(folder) ?? folder];
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}${sep}`);
}
