import { PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { holdConversation } from './acp-conversation.ts';
import type { RunnerDriver } from './driver.ts';
import { assertProgram, promptOf } from './input.ts';

/**
 * Any agent that speaks version 1 of the Agent Client Protocol over its standard input and output. It reads and writes
 * files and runs commands itself, inside its own process tree: the node offers it neither files nor terminals.
 */
export const acpDriver: RunnerDriver = {
  takes: 'prompt',
  launch({ runner, input }, workspace) {
    promptOf(runner, input);
    const argv = runner.argv.map((part) => part.replaceAll('{workspace}', workspace));
    return { argv: assertProgram(argv), inputOpen: true };
  },
  converse: (parts) => holdConversation(parts, PROTOCOL_VERSION),
};
