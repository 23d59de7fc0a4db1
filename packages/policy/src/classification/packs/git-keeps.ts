import type { BuiltInRule } from '../types.ts';
import { wordList } from './option-names.ts';

const REVISION = '(?!-)[\\w][\\w./@{}~^-]*';
/** A branch that is made, and refused where it is there already: nothing of the working tree is overwritten. */
const MAKES_BRANCH = `checkout(?:\\n(?:-q|--quiet|-t|--track|--no-track))*\\n-b\\n${REVISION}(?:\\n(?:-t|--track|--no-track))?(?:\\n${REVISION})?`;
/** What stands in the index only, which is made from the last commit again. */
const UNSTAGES = 'restore(?:\\n(?:-q|--quiet))*\\n(?:-S|--staged)(?:\\n(?:-q|--quiet))*(?:\\n--)?(?:\\n(?!-)[^\\n…]+)+';
const UNTRACKS = 'rm(?:\\n-[rq]+)*\\n--cached(?:\\n-[rq]+)*(?:\\n--)?(?:\\n(?!-)[^\\n…]+)+';
const CLEANS_NOTHING =
  'clean(?:\\n-[dxXq]+)*\\n(?:-[dxXq]*n[ndxXq]*|--dry-run)(?:\\n-[ndxXq]+|\\n--dry-run)*(?:\\n(?!-)[^\\n…]+)*';
const NAMES_HEAD = 'symbolic-ref(?:\\n(?:-q|--quiet|--short))*\\n[A-Za-z][\\w./-]*(?:\\n(?:-q|--quiet|--short))*';

/** Calls of commands that discard which discard nothing. */
export const GIT_KEEPS = new RegExp(
  `^\\n(?:${[MAKES_BRANCH, UNSTAGES, UNTRACKS, CLEANS_NOTHING, NAMES_HEAD].join('|')})$`,
);

/** From a remote by its name, or all of them: what is pruned are names of branches that the other end has taken away. */
export const GIT_FETCHES =
  /^\n(?:fetch(?:\n(?:-[apqvt46]+|--(?:all|prune|quiet|verbose|tags|no-tags|progress|jobs=\d+|recurse-submodules)))*(?:\n(?:origin|upstream)(?:\n(?:-[apqvt46]+|--(?:all|prune|quiet|verbose|tags|no-tags|progress)))*)?|remote\nprune(?:\n(?:-n|--dry-run))?\n(?:origin|upstream))$/;

/** A patch that is looked at. */
export const GIT_APPLIES_NOTHING =
  /^\napply(?:\n(?:-v|--verbose|-p\d|--cached|--index))*\n--(?:check|stat|numstat|summary)(?:\n(?:--(?:check|stat|numstat|summary|cached|index|verbose)|-v|-p\d|(?!-)[^\n…]+))*$/;

/** Rules of git about calls that keep everything, of commands that otherwise discard. */
export const GIT_KEEPING: readonly BuiltInRule[] = [
  {
    name: 'git.makes-branch',
    programs: ['git'],
    words: [['checkout']],
    written: new RegExp(`^\\n${MAKES_BRANCH}$`),
    class: 'config-mutation',
    needs: ['edit_repo'],
    writes: {},
    examples: [
      ['git', 'checkout', '-b', 'x'],
      ['git', 'checkout', '-b', 'x', 'origin/main'],
    ],
    notExamples: [
      ['git', 'checkout', 'x'],
      ['git', 'checkout', '-B', 'x'],
      ['git', 'checkout', '-f', '-b', 'x'],
      ['git', 'checkout', '-b', 'x', '--', 'a'],
    ],
  },
  {
    name: 'git.unstages',
    programs: ['git'],
    words: [['restore', 'rm']],
    written: new RegExp(`^\\n(?:${UNSTAGES}|${UNTRACKS})$`),
    class: 'config-mutation',
    needs: ['edit_repo'],
    examples: [
      ['git', 'restore', '--staged', '.'],
      ['git', 'rm', '-r', '--cached', 'a'],
    ],
    notExamples: [
      ['git', 'restore', '.'],
      ['git', 'restore', '--staged', '--worktree', '.'],
      ['git', 'rm', '-f', '--cached', 'a'],
    ],
  },
  {
    name: 'git.cleans-nothing',
    programs: ['git'],
    words: [wordList('clean symbolic-ref')],
    written: new RegExp(`^\\n(?:${CLEANS_NOTHING}|${NAMES_HEAD})$`),
    class: 'read',
    needs: ['read_repo'],
    examples: [
      ['git', 'clean', '-nd'],
      ['git', 'clean', '--dry-run'],
      ['git', 'symbolic-ref', '--short', 'HEAD'],
    ],
    notExamples: [
      ['git', 'clean', '-fd'],
      ['git', 'symbolic-ref', 'HEAD', 'refs/heads/x'],
      ['git', 'symbolic-ref', '-d', 'x'],
    ],
  },
  {
    name: 'git.applies-nothing',
    programs: ['git'],
    words: [['apply']],
    written: GIT_APPLIES_NOTHING,
    reads: true,
    class: 'read',
    needs: ['read_repo'],
    examples: [['git', 'apply', '--check', 'x.patch']],
    notExamples: [
      ['git', 'apply', 'x.patch'],
      ['git', 'apply', '--stat', '--apply', 'x.patch'],
    ],
  },
  {
    name: 'git.prunes-names',
    programs: ['git'],
    words: [['remote'], ['prune']],
    written: GIT_FETCHES,
    class: 'config-mutation',
    needs: ['edit_repo'],
    examples: [['git', 'remote', 'prune', 'origin']],
    notExamples: [['git', 'remote', 'prune', 'x']],
  },
];
