import type { Argument, CommandPlace } from './types.ts';

/** Absolute path without `.`, `..` and doubled slashes; undefined where it depends on something unknown. */
export function absolutePath({ text, shape }: Argument, place: CommandPlace): string | undefined {
  if (shape !== 'literal' || text === '' || text.startsWith('~') || hasControl(text)) return undefined;
  if (!text.startsWith('/') && place.cwd === undefined) return undefined;
  const kept: string[] = [];
  for (const part of (text.startsWith('/') ? text : `${place.cwd}/${text}`).split('/')) {
    if (part === '..') kept.pop();
    else if (part !== '' && part !== '.') kept.push(part);
  }
  return `/${kept.join('/')}`;
}

/**
 * True where a path is known to lie inside the workspace, git's own folder left out: what is written there can run.
 * A link inside that leads out is not seen from here; the sandbox is there for that.
 */
export function isInsideWorkspace(path: string | undefined, { host, workspace }: CommandPlace): boolean {
  if (path === undefined || workspace === undefined || host !== 'self') return false;
  const below = workspace.endsWith('/') ? workspace : `${workspace}/`;
  return path.startsWith(below) && !path.split('/').some((part) => part.toLowerCase() === '.git');
}

/** True where a text holds a control character. */
function hasControl(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\u007f');
}
