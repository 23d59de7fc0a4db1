import type { CommandRule } from '../types.ts';

/** The agent's own tools by what has to be granted for them, and what it may do with them without asking. */
const TOOLS: readonly {
  readonly rights: readonly string[];
  readonly tools: readonly string[];
  readonly allowed: readonly string[];
}[] = [
  // What it reads in the workspace it never asks about.
  { rights: ['read_repo', 'edit_repo', 'read_files'], tools: ['Read', 'Glob', 'Grep'], allowed: [] },
  { rights: ['read_files'], tools: [], allowed: ['Read'] },
  // Named alone, these would write anywhere.
  { rights: ['edit_repo'], tools: ['Edit', 'Write', 'NotebookEdit'], allowed: ['Edit(./**)'] },
  { rights: ['use_network'], tools: ['WebFetch', 'WebSearch'], allowed: ['WebFetch', 'WebSearch'] },
];
const SHELL = ['Bash', 'BashOutput', 'KillShell'];

/** Which tools are offered to the agent, and which of their uses it is not refused; it can ask nobody. */
export function toolsFor(
  rights: readonly string[],
  commands: CommandRule,
): { readonly offered: readonly string[]; readonly allowed: readonly string[] } {
  const held = TOOLS.filter((one) => one.rights.some((right) => rights.includes(right)));
  const shell = commands === 'allow' ? ['Bash'] : commands.flatMap(commandTool);
  return {
    offered: [...held.flatMap(({ tools }) => tools), ...(shell.length === 0 ? [] : SHELL)],
    allowed: [...held.flatMap(({ allowed }) => allowed), ...shell],
  };
}

/** One of the profile's own commands in the agent's notation; none for a pattern that it cannot express. */
function commandTool(pattern: readonly string[]): readonly string[] {
  const isOpen = pattern.at(-1) === '**';
  const words = isOpen ? pattern.slice(0, -1) : pattern;
  // Its rules know neither quotes nor a wildcard in the middle, and a comma separates them.
  if (words.length === 0 || words.some((word) => !/^[A-Za-z0-9_./:@=+-]+$/.test(word))) return [];
  return [`Bash(${words.join(' ')}${isOpen ? ':*' : ''})`];
}
