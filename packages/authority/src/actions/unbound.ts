import { basename } from 'node:path';
import { quote } from '@writ/core';
import type { InnerCommand } from '@writ/policy';
import { elsewhereReason } from './elsewhere.ts';
import { languageOf } from './languages.ts';
import { loaderReason } from './loaders.ts';
import { scriptOperand } from './script-operand.ts';

/** Rules that stand for "nobody knows": of a program, of one of its commands, of what a shell or a wrapper would make of a text. */
const UNKNOWN: ReadonlySet<string> = new Set(['unknown-program', 'unknown-command', 'undecided', 'system.runs-unseen']);

/** What a command may use besides what its digest binds is told from. */
export interface Unbound {
  readonly commands: readonly Pick<InnerCommand, 'argv' | 'rule' | 'reason' | 'class' | 'patterns'>[];
  /** Folders that its arguments name, absolute. */
  readonly folders: readonly string[];
}

/**
 * Why a command runs or reads files that no digest binds, each once; empty: as far as the rules know it uses nothing but what is
 * bound. What no rule knows counts, so that nothing has to be on a list to be told. A rule of the configuration is the owner's own
 * word about a program, and not about what a pattern matches or a folder holds.
 * INVARIANT: 5 a yes is to what was shown; what was not seen is said to be so.
 */
export function unboundFiles({ commands, folders }: Unbound): readonly string[] {
  const patterns = commands.flatMap((command) => command.patterns ?? []);
  const notes = [
    ...programNotes(commands),
    ...commands
      .filter(({ rule }) => !isOwners(rule))
      .map(({ argv }) => elsewhereReason(argv))
      .filter((note) => note !== undefined),
    ...patterns.map((pattern) => `which files ${quote(pattern)} matches, and what is in them`),
    ...folders.map((folder) => `what is in the folder ${quote(folder)}`),
  ];
  return [...new Set(notes)];
}

/** Whether the owner said in the configuration what it is. */
function isOwners(rule: string): boolean {
  return rule.startsWith('commands[');
}

function programNotes(commands: Unbound['commands']): readonly string[] {
  return commands.flatMap(({ argv, rule, reason }) => {
    const [first = ''] = argv;
    const name = first === '' ? 'it' : quote(basename(first));
    if (isOwners(rule)) return [];
    if (languageOf(basename(first)) !== undefined) {
      const isHidden = rule === 'undecided' && scriptOperand(argv).kind === 'none';
      return [...(isHidden ? [`${name}: ${reason}`] : []), `what ${name} runs may load other files`];
    }
    if (UNKNOWN.has(rule)) return [`${name}: ${reason}`];
    const loads = loaderReason(argv, rule);
    if (loads !== undefined) return [loads];
    return rule === 'environment.variable' ? [`${name} ${reason}`] : [];
  });
}
