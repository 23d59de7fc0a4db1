import { absolutePath } from './paths.ts';
import type { Argument, CommandPlace } from './types.ts';

/** What the machine starts, obeys and keeps its devices in, and all that somebody has. */
const SYSTEM =
  /^\/(?:(?:home|Users)(?:\/[^/]+)?$)|^\/(?:private\/)?etc(?:\/|$)|^\/(?:usr|s?bin|lib\d*|libx32|boot|dev|proc|sys|run(?!\/user\/)|System|Library)(?:\/|$)|^\/$/;
/** Keys, what is signed in with, what starts by itself, and what git runs, wherever it lies. */
const KEPT =
  /\/\.(?:git|ssh|gnupg|aws|azure|kube|docker|netrc|pgpass|password-store|config\/(?:autostart|systemd|gcloud|gh))(?:\/|$)/i;
/** What services and people have for themselves: a workspace may lie there, and is where the command runs then. */
const OWNED = /^\/(?:(?:private\/)?var|root|opt|home\/[^/]+\/\.[^/]+|Users\/[^/]+\/\.[^/]+)(?:\/|$)/;
const OWNED_FREE = /^\/(?:private\/)?var\/(?:tmp|folders)\//;

/**
 * Whether an argument is known to name nothing that the machine, a service or a person depends on, wherever it may run; for changes that
 * overwrite nothing, where no workspace is known.
 */
export function isCommon(argument: Argument, place: CommandPlace): boolean {
  const folders = place.cwd === undefined ? (place.near ?? []) : [place.cwd];
  if (KEPT.test(`/${argument.text}`)) return false;
  const paths = pathsOf(argument, place);
  return paths.length > 0 && paths.every((path) => isCommonPath(path, folders));
}

/**
 * Every path that an argument may name, in every folder in which it may be read, absolute; of a pattern the folders in which it finds
 * something. Undefined among them: one that cannot be told; empty: none can.
 */
export function pathsOf(argument: Argument, place: CommandPlace): readonly (string | undefined)[] {
  const texts = argument.within ?? [folderOf(argument)];
  return texts.flatMap((text) => {
    if (text === undefined) return [undefined];
    const named = { text, shape: 'literal' } as const;
    if (text.startsWith('/')) return [absolutePath(named, place)];
    const folders = place.cwd === undefined ? (place.near ?? [undefined]) : [place.cwd];
    return folders.map((cwd) => (cwd === undefined ? undefined : absolutePath(named, { ...place, cwd })));
  });
}

/** The folder in which a pattern finds what it finds, undefined where that may be another; a home is one like others. */
function folderOf({ text, shape }: Argument): string | undefined {
  if (shape === 'literal') return text;
  const named = text.startsWith('~/') ? `/home/${text}` : text;
  // A part that begins with a dot may become the way up.
  if (shape === 'any' || text === '{}' || text.startsWith('~') !== named.startsWith('/home/~') || MAY_GO_UP.test(text))
    return undefined;
  const opensAt = named.search(/[*?[{]/);
  return opensAt < 0 ? named : `${named.slice(0, named.lastIndexOf('/', opensAt) + 1)}.`;
}

const MAY_GO_UP = /\.\.|[{,]\.|\.[{,}]|(?:^|\/)\.[^/]*[*?[]/;

function isCommonPath(path: string | undefined, folders: readonly string[]): boolean {
  if (path === undefined || SYSTEM.test(path) || KEPT.test(path)) return false;
  if (!OWNED.test(path) || OWNED_FREE.test(path)) return true;
  return folders.length > 0 && folders.every((folder) => isDeep(folder) && path.startsWith(`${folder}/`));
}

/** No folder that holds those of others. */
function isDeep(folder: string): boolean {
  return folder.split('/').length > 3;
}
