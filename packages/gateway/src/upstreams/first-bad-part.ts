import { isSpecType, type Transport } from '@modelcontextprotocol/client';

/**
 * Of an answer with parts of which one is none, only that one goes on to a client: it refuses the answer all the same, and would make errors of thousands of
 * them, half a second long, on the way.
 */
export function keepFirstBadPart(transport: Transport): void {
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    if (!('result' in message) || !Array.isArray(message.result.content)) return deliver?.(message, extra);
    const { content } = message.result;
    const bad = content.findIndex((part) => !isSpecType.ContentBlock(part));
    deliver?.(bad < 0 ? message : { ...message, result: { ...message.result, content: [content[bad]] } }, extra);
  };
}
