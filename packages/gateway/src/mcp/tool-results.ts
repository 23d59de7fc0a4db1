import type { CallToolResult } from '@modelcontextprotocol/server';
import type { WritErrorJson } from '@writ/core';

/** An answer, as data and as the same in text for clients that read no data. */
export function answerResult(value: unknown): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(value) }],
    structuredContent: value as Record<string, unknown>,
  };
}

/** A failure, in words that say what to do next. */
export function failureResult(error: WritErrorJson): CallToolResult {
  const { code, message, details, nextSteps } = error;
  return {
    content: [{ type: 'text', text: JSON.stringify({ error: { code, message, details, next_steps: nextSteps } }) }],
    isError: true,
  };
}
