import { z } from 'zod';
import type { AgentLog } from './agent-log.ts';

const tokens = z.int().min(0);

/** A part of the protocol that is not settled yet: what it does not hold, or holds in another way, is not told. */
const answer = z.looseObject({
  usage: z.looseObject({
    inputTokens: tokens,
    outputTokens: tokens,
    cachedReadTokens: tokens.nullish(),
    cachedWriteTokens: tokens.nullish(),
  }),
});

/** What a turn used, where its answer tells. */
export function readTurnUsage(said: unknown, log: AgentLog): void {
  const parsed = answer.safeParse(said);
  if (!parsed.success) return;
  const { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens } = parsed.data.usage;
  // What was read from the agent's cache was sent to the model all the same.
  log.usage({ inputTokens: inputTokens + (cachedReadTokens ?? 0) + (cachedWriteTokens ?? 0), outputTokens });
}
