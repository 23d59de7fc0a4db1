/** Longest line that a node may send, UTF-16 units; nothing honest comes near it. */
const LONGEST_LINE = 16 * 1024 * 1024;

/** Splits a byte stream into lines of UTF-8 text; empty ones are left out. Throws on a line over 16 Mi characters. */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of source) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    if (rest.length > LONGEST_LINE) throw new RangeError('line too long');
    for (const line of parts) if (line !== '') yield line;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
