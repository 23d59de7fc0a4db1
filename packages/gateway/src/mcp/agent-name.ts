import { COMMAND_LINE, isReservedAgent } from '@writ/authority';
import { foldName } from '@writ/core';

/** Agent name of a client that gives none that can be folded. */
const UNNAMED = 'agent';

/** What an MCP client calls itself, as the name of an agent: folded, with everything else as hyphens; never one that means the person. */
export function agentName(clientName: string | undefined): string {
  const hyphenated = (clientName ?? '')
    .slice(0, 256)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64);
  const name = foldName(hyphenated) ?? UNNAMED;
  return isReservedAgent(name) || name === COMMAND_LINE ? UNNAMED : name;
}
