import { absolutePath, isInsideWorkspace } from './paths.ts';
import type { CommandPlace, InnerCommand, Redirect } from './types.ts';

const NOWHERE: ReadonlySet<string> = new Set(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/stdin', '/dev/tty']);
const WRITES: ReadonlySet<string> = new Set(['>', '>>', '>|', '&>', '&>>', '>&']);

/** What a redirect does; undefined where that is nothing but moving bytes around. */
export function classifyRedirect({ operator, to }: Redirect, place: CommandPlace): InnerCommand | undefined {
  if ((operator === '>&' || operator === '<&') && /^(\d+-?|-)$/.test(to.text)) return undefined;
  if (to.shape === 'literal' && NOWHERE.has(to.text)) return undefined;
  const path = absolutePath(to, place);
  // A shell opens connections behind these names.
  const isFile = path !== undefined && !path.startsWith('/dev/');
  const unplaced = place.cwd === undefined ? ({ unplaced: true } as const) : {};
  const about = { argv: [operator, to.text], host: place.host, targets: targetsOf(path, place), ...unplaced };
  // It reads; but whoever reads it may run it.
  if (operator === '<' && isFile) {
    return { ...about, targets: [], class: 'read', rule: 'redirect.read', reason: 'reads a file', needs: READ };
  }

  if (!WRITES.has(operator) || path === undefined) {
    return {
      ...about,
      targets: [],
      class: 'destructive',
      rule: 'undecided',
      reason: 'where it redirects to cannot be told',
      needs: DESTRUCTIVE,
    };
  }
  if (isInsideWorkspace(path, place)) {
    const reason = 'writes a file of the workspace';
    return { ...about, class: 'config-mutation', rule: 'redirect.workspace', reason, needs: EDIT };
  }
  const reason = 'writes a file outside the workspace';
  return { ...about, class: 'destructive', rule: 'redirect.outside', reason, needs: DESTRUCTIVE };
}

const DESTRUCTIVE: readonly string[] = ['destructive'];
const EDIT: readonly string[] = ['edit_repo'];
const READ: readonly string[] = ['read_files'];

function targetsOf(path: string | undefined, { host }: CommandPlace): readonly string[] {
  return path === undefined ? [] : [`${host}/path/${path}`];
}
