/** Longest line that is read as one, characters. */
const LONGEST_LINE = 16 * 1024 * 1024;

/**
 * Lines with the line break that each ends with: whoever signed wrote that too. The last one may have none, and neither has each
 * piece of one that is too long: it comes in pieces, none of which is a line of this program's. The work grows with the bytes,
 * however they are cut.
 */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string, undefined> {
  let held: string[] = [];
  let heldLength = 0;
  const take = (): string => {
    const line = held.join('');
    held = [];
    heldLength = 0;
    return line;
  };
  for await (const chunk of chunks) {
    for (const piece of chunk.split(/(?<=\n)/)) {
      held.push(piece);
      heldLength += piece.length;
      if (piece.endsWith('\n') || heldLength > LONGEST_LINE) yield take();
    }
  }
  if (heldLength > 0) yield take();
  return undefined;
}
