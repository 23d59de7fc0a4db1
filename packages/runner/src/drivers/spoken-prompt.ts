import type { RunInput, RunnerConfig } from '../types.ts';
import type { Conversation } from './driver.ts';
import { promptOf } from './input.ts';

/**
 * The same conversation, opened with the prompt on standard input, which is closed behind it. An argument would stand in
 * the list of processes, and has a length that the system limits; an agent waits for ever on an input that stays open.
 */
export function withPrompt(conversation: Conversation, runner: RunnerConfig, input: RunInput): Conversation {
  return {
    ...conversation,
    begin(partner) {
      conversation.begin(partner);
      void partner.input.write(Buffer.from(promptOf(runner, input), 'utf8'));
      partner.input.end();
    },
  };
}
