import type { CommandRule } from '../types.ts';

/** The agent's own tools by what has to be granted for them; what is not here needs nothing. */
const TOOLS: readonly { readonly right: string; readonly tools: readonly string[] }[] = [
  { right: 'read_repo', tools: ['Read', 'Glob', 'Grep', 'NotebookRead'] },
  { right: 'edit_repo', tools: ['Edit', 'MultiEdit', 'Write', 'NotebookEdit'] },
  { right: 'use_network', tools: ['WebFetch', 'WebSearch'] },
];
const SHELL = ['Bash', 'BashOutput', 'KillShell'];

/** Which tools the agent may use without asking, and which are not even offered to it. */
export function toolsFor(
  rights: readonly string[],
  commands: CommandRule,
): { readonly allowed: readonly string[]; readonly refused: readonly string[] } {
  const held = TOOLS.filter(({ right }) => rights.includes(right));
  const missing = TOOLS.filter(({ right }) => !rights.includes(right));
  const shell = commands === 'allow' ? SHELL : commands.flatMap(commandTool);
  return {
    allowed: [...held.flatMap(({ tools }) => tools), ...shell],
    refused: [...missing.flatMap(({ tools }) => tools), ...(shell.length === 0 ? SHELL : [])],
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
