import type { Argument, CommandPlace } from './types.ts';

/**
 * Absolute path without `.`, `..` and doubled slashes; undefined where it depends on something unknown. A `..` behind a name
 * does: the name could be a link, and the system goes up from where that leads. The working directory is taken to be one
 * without links.
 */
export function absolutePath({ text, shape }: Argument, place: CommandPlace): string | undefined {
  if (shape !== 'literal' || text === '' || text.startsWith('~') || hasControl(text)) return undefined;
  if (!text.startsWith('/') && place.cwd === undefined) return undefined;
  const kept = text.startsWith('/') ? [] : (place.cwd ?? '').split('/').filter(isName);
  let isBehindName = false;
  for (const part of text.split('/')) {
    if (part === '..') {
      if (isBehindName) return undefined;
      kept.pop();
    } else if (isName(part)) {
      kept.push(part);
      isBehindName = true;
    }
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

function isName(part: string): boolean {
  return part !== '' && part !== '.';
}

/** True where a text holds a control character. */
function hasControl(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\u007f');
}
