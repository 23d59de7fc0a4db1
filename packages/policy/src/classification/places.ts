import { isMany, isOption, type ParsedArguments } from './options.ts';
import { absolutePath, isInsideWorkspace } from './paths.ts';
import { isCommon, pathsOf } from './system-paths.ts';
import type { Argument, CommandPlace, PlaceSpec } from './types.ts';

/** True where all that a command lays somewhere is known to lie in the workspace, which may be the folder itself. */
export function laysInside(
  { folders = [], leading, from, light, elsewhere = [] }: PlaceSpec,
  { operands, options }: ParsedArguments,
  place: CommandPlace,
): boolean {
  const given = options.filter(
    // An option that is known by its whole name is no abbreviation of another.
    ({ name, known, before }) =>
      (known ? folders.includes(name) : isOption(name, folders)) && (before === 0 || leading !== true),
  );
  const [named] = given;
  if (light && place.workspace === undefined) {
    return eachOnce([...operands.slice(from), ...given.flatMap(({ value }) => value ?? [])], (one) =>
      isCommon(one, place),
    );
  }
  // What overwrites nothing may be about all that lies in a folder.
  if (light && named === undefined && operands.length > (from ?? 0)) {
    return eachOnce(operands.slice(from), (one) => pathsOf(one, place).every((path) => isInFolder(path, place)));
  }
  const isElsewhere = elsewhere === 'always' || options.some(({ name }) => elsewhere.includes(name));
  if (named === undefined && isElsewhere) return true;
  const folder = named === undefined ? place.cwd : named.value && absolutePath(named.value, place);
  if (folder === undefined || given.length > 1) return false;
  // What may become several in front moves all the others.
  if (operands.slice(0, from ?? 0).some(isMany)) return false;
  const laid = from === undefined ? [] : operands.slice(from);
  // An option that nobody knows may have taken the folder for its value.
  if (laid.length === 0) return isInFolder(folder, place);
  if (options.some(({ known }) => !known)) return false;
  return laid.every(({ text, shape }) => {
    // Where an option names the folder, a link may lie on the way to it: the way up from there is not known.
    const path = named === undefined || text.startsWith('/') ? text : `${folder}/${text}`;
    return isInFolder(absolutePath({ text: path, shape }, place), place);
  });
}

/** True where it holds for all; looked at once for what stands there more than once. */
function eachOnce(all: readonly Argument[], holds: (one: Argument) => boolean): boolean {
  return [...new Set(all)].every(holds);
}

function isInFolder(folder: string | undefined, place: CommandPlace): boolean {
  return folder !== undefined && isInsideWorkspace(`${folder === '/' ? '' : folder}/.`, place);
}
